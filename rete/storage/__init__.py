"""What is remembered: SteMs, the base table, sets of facts, and the algebra of rows."""
