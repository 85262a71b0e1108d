"""README, docs and references say what is so"""
