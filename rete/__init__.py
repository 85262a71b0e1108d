"""The Rete network: a plan becomes a network, deltas become deltas. Ids and cells, never text.

Terms and rows: `dictionary` gives terms their ids, over the columns of `texts` and with the values
of `numbers`, perhaps behind those of a `base` that is mapped; `values` makes equal values one term;
`quads` reads N-Quads straight to ids; `delta` is what travels on an edge; `stem` is all that a node
remembers; `kernels` does the work on arrays.

Plans and the network: `lowering` takes clauses to conjunctions, with a plan for each of the
`operands` of an operator, `optimizer` orders those into the plan values of `plan`, `network` makes
one node of each distinct plan; `nodes` has the kinds of node, and `agenda` carries their deltas to
quiescence. `layers` sets networks one before the other,
what always holds first: `statics` finds out which terms are the same, and `representatives` stand
for those. `unify` tells which heads can feed which patterns, `feeding` which nodes therefore feed
which, and `components` orders all nodes by that; `strata` tells what must be complete before what,
and `explain` draws it all for people.

Time: `reach` tells how far in time rows depend on others, so how late they come and how long they
stay; the `horizon` is where derivation waits that would go on for ever; `witnesses` looks through
metric operators backwards.

Stopping: `saved` is how all that remembers is written down, and asked for again.

Taking back: `asserted` is the base table, and `maintenance` carries through the components what
lost a derivation, as `losses` tell; in a recursive one `doubts` finds out what that is, along a
`flow` that changes nothing yet (`doubted` is what waits, and what is in doubt), or `rederiving`
where there are no levels. They ask `support` for another derivation: `ways` is how joins are found
backwards, `founding` looks for one that stands, where `whole` spares it the walk, and `pieces` and
`unions` compare rows in passing. For many facts at once `bodies` has what rules say as atoms, of
which `heads` leaves out what others say too, `programs` writes them down for a kernel, but for
those that want what is `absent`, `proofs` asks it, and `rests` tells another what may rest on a
fact. `derivations` tells of a fact which others it was derived from.
"""
