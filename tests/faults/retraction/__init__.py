"""Faults of retraction, detected by stories (`detection`).

`base_table`: in what is asserted, and in what is printed; `rule_changes`: where rules are added and
dropped; `view_maintenance`: in what follows from a loss, outside of recursion; `recursion`: in
recursive components; `proof_programs`: in how derivations are found there.
`operators`: where metric operators look back on what is retracted, an area of its own.
"""
