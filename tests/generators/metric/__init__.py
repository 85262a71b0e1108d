"""DatalogMTL programs with data.

`syntax` draws programs and facts of a given shape, `programs` the mix of kinds; `constraints` adds
rules with the head BOTTOM, `negation` negations and comparisons; `propagation` has rules that
derive facts at ever other times.
`periodic_models` makes endless models whose periods are known. `updates` has stories of facts that
are deleted and inserted, `fact_streams` facts that come one after the other.
`operator_applications` draws inputs of one operator. `features` names what a case exercises;
`fact_text` writes facts.
"""
