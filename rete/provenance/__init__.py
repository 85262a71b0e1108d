"""Derivations found backwards, from a fact to the facts it follows from."""
