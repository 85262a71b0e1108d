"""What is reported of answers: single and competing entries, top-k, JSON lines."""
