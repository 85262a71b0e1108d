"""Definitions as programs: slow, obvious, and without any code of the packages under test."""
