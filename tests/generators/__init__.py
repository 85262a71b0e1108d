"""Random programs, streams and their texts: what oracle and engine are asked about.

A generator chooses with `draw`, so that it works from a seed (`draw.from_seed`) and from Hypothesis
(`draw.from_hypothesis`). `vocabulary` has the few names that random cases share;
`shrinking` makes rules and other values smaller as long as a test fails. Rooms: `rules`,
`streams`, `stories`, `ontologies`, `metric` programs, `hypothetical` queries and worlds,
`events`: rules with aggregates and event times, and `meetings` of all dimensions.
"""
