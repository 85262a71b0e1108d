"""What was found, as tables for people and JSON for programs."""
