"""Random programs and streams, and their texts: what the oracle and the engine are asked about."""
