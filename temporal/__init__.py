"""Metric time on the network of `rete`: DatalogMTL and its operators.

Text to syntax: `metric` is an interval, of a fact or the range of an operator; `ast` has the six
operators as formulas of RIF, and programs and facts; `text` reads and writes them. `walk` goes over
formulas, `wellformed` judges programs, `errors` has a class per code. Times are numbers or `dates`,
which of them is a `notation`.

In rules over streams: `rif_kinds` adds the operators to the language of `rif`, as `rif_parser`
reads and writes them, with the durations of `rif_ranges` by `rif_range_parser`; `rif_lowering` adds their plans to
`rete`. Both languages make plans of operators by `operators`.

Rows: `coalescing` makes the times of equal terms maximal, `mirror` exchanges past and future; the
operators themselves are nodes of the network (`rete.nodes.metric`).

To a model: `lowering` takes rules to plans, with `guards` where a Since leaves a variable unbound;
`loading` reads facts in bulk, by `loading_pieces` and `loading_columns`. `materialise` runs them
within `limits` and gives a `model`. `program` tells what kind of program it is, `normalform` takes
operators apart.

A model without end: `periodic` finds how it goes on, from `changes` on either side, whose `tails`
are told by their `signatures`, to the `windows` on the ruler. `endless` is the whole model, by
`unfolding` what repeats; `merging` unites two or takes one from another. `far` takes operators with
ranges to infinity out of the rules, and `outlook` judges what they give by its `growth`.

What may become true while facts still come in, late or not: `hypothetical`. How probable it is that
what has not come yet comes: `prospects`; a `cap` holds the most probable.

To people: `selection` says which facts of a model are meant, `picture` draws them.
"""
