"""Possible answers of RIF rules, recomputed at every stamp.

`worlds` has the rules and elements of a case; `derivations` and `matching` find what could derive
an answer; `certainty` computes what is derived for certain; `states` has the possible answers at
each stamp; `sufficiency` finds what needs no evidence; `confidence` ranks them.
"""
