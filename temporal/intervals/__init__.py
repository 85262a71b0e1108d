"""Exact intervals of the rational time line, their ends numbers, dates or durations, and their literals."""
