"""Temporal Datalog [CruzFilipe20]: syntax trees, errors, parsers, validation."""
