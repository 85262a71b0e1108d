"""The presentation syntax: tokens, recursive descent, hints, and the writer."""
