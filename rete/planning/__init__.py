"""From clauses to plans: lowering, join order, plan values, strata. Knows no ids, no arrays."""
