"""DatalogMTL: syntax trees, validation, analysis, rewriting, and lowering to plans."""
