"""Terms and their ids: dictionary, N-Quads, literals by value, equality classes."""
