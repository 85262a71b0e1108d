"""Values of literals, and RDFS and OWL 2 RL as the tables of their specifications.

`values` and `value_spaces` map literals to values and datatypes; `canonical_form` writes their
canonical forms. `exact_values` has exact amounts, and the order of any two terms. `rule_tables`
runs rules that are written as a specification's table has them; `rdfs` and `owl` are such tables.
`schema_rules` has what a schema means for instances alone.
"""
