"""A run with possible answers: evidence comes and goes, entries are compared, told and withdrawn."""
