"""Preprocessing: a query resolved to schematic answers over input atoms."""
