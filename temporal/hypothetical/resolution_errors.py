"""What can be wrong with a query and its resolution: one class per code, ``HYP40x``."""

from __future__ import annotations

from rif.errors import RuleError


class NotDerived(RuleError):
    """A query of a predicate that no rule concludes."""

    code = "HYP401"


class QueryArity(RuleError):
    """A query with another number of arguments than the rules give its predicate."""

    code = "HYP402"
    default_hint = "time is the last argument, and counts"


class EndlessResolution(RuleError):
    """Recursion of which nothing says that it ends [CruzFilipe22, section 3]."""

    code = "HYP403"
    default_hint = (
        "ask about one time, as in P(X,5), if the rules look back only; "
        "--depth N cuts it, and what is told is partial then"
    )


class TooManyPremises(RuleError):
    """More ways to an answer than are followed."""

    code = "HYP404"
    default_hint = "ask for less, with constants in the query, or give a smaller depth"
