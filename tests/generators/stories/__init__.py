"""Stories: what is asserted and retracted while rules are added and dropped, step by step.

`steps` has `Story` and the kinds of steps; `retraction` draws stories, with elements of `elements`
and rules of `ranked_rules`; `shrinking` makes a story smaller.
"""
