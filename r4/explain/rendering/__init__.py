"""Explanations as text, JSON and SVG, in the names and words of the rules."""
