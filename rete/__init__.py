"""The Rete network: a plan becomes a network, deltas become deltas. Ids and cells, never text.

Terms and rows: `dictionary` gives terms their ids, over the columns of `texts` and with the values
of `numbers`; `values` makes equal values one term; `quads` reads N-Quads straight to ids; `delta`
is what travels on an edge; `stem` is all that a node remembers; `kernels` does the work on arrays.

Plans and the network: `lowering` takes clauses to conjunctions, `optimizer` orders those into the
plan values of `plan`, `network` makes one node of each distinct plan; `nodes` has the kinds of
node, and `agenda` carries their deltas to quiescence. `layers` sets networks one before the other,
what always holds first, where `representatives` stand for terms that are the same. `unify` tells
which heads can feed which patterns, `strata` what must be complete before what; `explain` draws it
all for people.

Stopping: `saved` is how all that remembers is written down, and asked for again.

Taking back: `asserted` is the base table; `components` orders all nodes by who feeds whom, and
`maintenance` carries through them what lost a derivation. It asks `support` for another: `ways` is
how joins are found backwards, `founding` looks for one that stands, where `whole` spares it the
walk, and `unions` compares rows in passing. `derivations` tells of a fact which others it was
derived from.
"""
