"""What can be wrong with a rule document: one class a code, where it stands, and its text for a person."""
