"""What a built-in says of terms that stand in no row, as those that a hypothesis waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rete.terms.builtin_calls import OUT_OF_DOMAIN, evaluation
from rete.terms.dictionary import Dictionary
from rif.builtins import Builtin, Outcome
from rif.builtins.signatures import OutsideDomain
from rif.syntax.terms import GroundTerm


def outcome(builtin: Builtin, args: Sequence[GroundTerm], terms: Dictionary) -> Outcome:
    """What a built-in says of ``args``; None outside its domain, which is not counted.

    A function of one's own is not asked again what it was asked for rows, nor for them what it was
    asked here, unless it had no value: the reason is theirs to tell.
    """
    if builtin.version is None:
        return _called(evaluation(builtin, terms), args)
    ids = tuple(terms.encode_many(list(map(str, args))).tolist())
    known = terms.results.setdefault(builtin.name, {})
    if ids not in known:
        found = _called(builtin.evaluate, args)
        if isinstance(found, bool):
            known[ids] = int(found)
        elif found is not None and len(text := str(found)) <= terms.longest_computed:
            known[ids] = terms.encode(text)
        else:
            return None
    value = known[ids]
    if value == OUT_OF_DOMAIN:
        return None
    return bool(value) if builtin.kind == "predicate" else terms.term(value)


def _called(evaluate: Callable[..., Outcome], args: Sequence[GroundTerm]) -> Outcome:
    try:
        return evaluate(*args)
    except OutsideDomain:
        return None
