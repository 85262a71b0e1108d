"""From rules to the added rules whose rows are evidence: resolution, units, shapes."""
