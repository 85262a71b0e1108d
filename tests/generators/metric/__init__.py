"""DatalogMTL programs, facts, endless models"""
