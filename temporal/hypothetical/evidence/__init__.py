"""Which hypotheses have arrived: plans, tables of entries, deadlines, confidences."""
