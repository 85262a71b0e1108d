"""Metric operators as formulas of RIF: rows of the table of the language, ranges, text, plans."""
