"""what holds for every run, without an expected value"""
