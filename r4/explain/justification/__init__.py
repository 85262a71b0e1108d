"""Minimal justifications: instances of rules, hitting sets, temporal proofs and their times."""
