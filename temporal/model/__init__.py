"""Materialisation: rounds within a horizon until the whole model is known."""
