"""Rules over few words, which feed each other often: many ways to the same fact, and circles."""

from __future__ import annotations

from functools import cache

from rif.syntax.ast import Forall, Implies
from tests.generators.rules.parsers import parse
from tests.generators.vocabulary import EX

DENSE = tuple(
    f"Forall ?x ?y ?z ( {rule} )"
    for rule in (
        "?x[ex:t -> ?y] :- ?x[ex:p -> ?y]",
        "?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:p -> ?z])",
        "?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z])",
        "?y[ex:t -> ?x] :- ?x[ex:t -> ?y]",
        "?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:v -> ?y])",
        "?x[ex:v -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:u -> ?y])",
        "?x[ex:v -> ?y] :- ?x[ex:q -> ?y]",
        "?x[ex:w -> ?y] :- ?x[ex:p -> ?y]",
        "?x[ex:w -> ?y] :- ?x[ex:q -> ?y]",
        "?x[ex:w -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:q -> ?y])",
        "?x[ex:w -> ?y] :- And(?y[ex:q -> ?z] Exists ?k (?x[ex:q -> ?k]))",
        "?x[ex:u -> ?y] :- ?x[ex:v -> ?y]",
        "?x[ex:v -> ?y] :- ?x[ex:u -> ?y]",
        "?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?y[ex:p -> ?z])",
        "?x[ex:u -> ?y] :- And(?z[ex:u -> ?w] ?z[ex:p -> ?x] ?w[ex:p -> ?y])",
        "?x[ex:t -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:q -> ?x])",
        "?x[ex:v -> ?x] :- ?x[ex:t -> ?x]",
        "?x[ex:p -> ?y] :- ?x[ex:v -> ?y]",
        "?x[ex:v -> ?y] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?x])",
        "And(?x[ex:t -> ?y] ?y[ex:u -> ?x]) :- ?x[ex:q -> ?y]",
        "?x[?k -> ?y] :- And(?x[ex:same -> ?z] ?z[?k -> ?y])",
        "?x[ex:same -> ?y] :- And(?x[ex:q -> ?z] ?y[ex:q -> ?z])",
        "?y[ex:same -> ?x] :- ?x[ex:same -> ?y]",
    )
)

NEGATIVE = tuple(
    f"Forall ?x ?y ?z ( {rule} )"
    for rule in (
        "?x[ex:n -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:q -> ?y]))",
        "?x[ex:m -> ?y] :- And(?x[ex:t -> ?y] Naf(?y[ex:t -> ?x]))",
        "?x[ex:m -> ?y] :- And(?x[ex:q -> ?y] Naf(?x[ex:n -> ?y]))",
        "?x[ex:o -> ?y] :- And(?x[ex:t -> ?y] Naf(Naf(?y[ex:q -> ?x])))",
        "?x[ex:o -> ?y] :- And(?x[ex:u -> ?y] Naf(?y[ex:v -> ?x]))",
        "?x[ex:n -> ?x] :- And(?x[ex:v -> ?y] Naf(?y[ex:u -> ?x]))",
    )
)
"""Above the first three of the dense rules, and the `KNOTS`, which they do not feed."""

KNOTS = ((4, 5, 6), (6, 11, 12), (4, 6, 12), (5, 6, 11, 13), (5, 6, 11, 14))
"""Dense rules by which two predicates rest on each other."""


@cache
def dense_rule(number: int) -> Forall | Implies:
    """One of them, the negative ones after the others."""
    text = (*DENSE, *NEGATIVE)[number].replace("?z ( ", "?z ?w ?k ( ")
    group = parse(f"Document(Prefix(ex <{EX}>) Group({text}))").document.group
    assert group is not None
    rule = group.items[0]
    assert isinstance(rule, Forall | Implies)
    return rule
