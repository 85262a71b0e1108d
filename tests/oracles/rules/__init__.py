"""RIF rules over facts with valid time.

`formulas` evaluates conditions; `datalog` computes least models, for facts and for instances;
`strata` numbers the strata of rules. `conjunct_order` orders conjuncts so that each finds its
inputs bound. `justifications` finds all minimal sets of asserted facts that derive a fact; `plans`
evaluates plans at one instant; `equal_names` rules over names of which some are the same;
`input_inclusion` adds what is asserted to what is derived. `aggregate_values` has the value of each
aggregate of a bag. `number_constants` writes patterns with numbers as variables of equal numbers.
"""
