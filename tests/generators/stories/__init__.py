"""what is asserted, retracted, added and dropped, step by step"""
