"""Hypothetical answers: what may become true, on what evidence, waiting for what [CruzFilipe22].

Text to syntax: `ast` has programs of Temporal Datalog; `text` reads them and queries, by `atoms` (and `term_text`),
and `wellformed` judges them; `errors` has a class per code. `patterns` say something of instances,
read by `pattern_text`: `delays` how late facts may be, by `delay_text`, and `chances` how probable
it is that they come, by `chance_text`.

Before any data: `resolution` takes a query to what it needs of the input. `clauses` are what is on
the way to that, made by `unification`, with variables from a `scope`; `subsumption` tells by
`matching` which of them add nothing, `recursion` which come back; `resolution_errors` has what is
refused. `reach` says how long answers may stay open.

Facts: `arrivals` takes lines to slices in columns, by `pieces` of text; `facts` reads with care
what is not plain, and counts what is refused.

While data come in: `online` runs slices through one network. `masks` says which hypotheses tell of
an entry, `lowering` makes plans of them. A `tally` is a table of that network, of `living` entries
that end by their `deadlines`; before joins stand tables of the `least` facts of what only has to
exist. `lookups` ask once what an instance has, and `confidence` is how probable it is that an entry
is completed.

What is told: `lines` has the patterns of JSON text. `sole` makes lines in columns where an answer
has one entry at a time; else `rivals` compares the `entries` of each answer, and `sayings` makes
the lines. A `cap` drops what is too much, by `sole_cap` or `rival_cap`. `schemas` takes entries to
answers and atoms, `question` writes answers, `instances` knows those that are more general.

To Python and to people: a `hypothesiser` follows a question, `histories` are what became of its
answers, and a `picture` shows them.
"""

from temporal.hypothetical.histories import History, histories
from temporal.hypothetical.hypothesiser import Hypothesiser, Told
from temporal.hypothetical.picture import Picture

__all__ = ["History", "Hypothesiser", "Picture", "Told", "histories"]
