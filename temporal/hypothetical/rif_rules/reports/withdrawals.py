"""Why a fact that was possible is possible no more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.arrays.delta import Column, Rows
from temporal.hypothetical.rif_rules.entries.evidence_reader import Mask
from temporal.hypothetical.rif_rules.reports.row_lists import RowLists
from temporal.hypothetical.rif_rules.reports.status_reports import NOT_ARRIVED, RETRACTED, TEXT
from temporal.hypothetical.row_order import first_rows


def withdrawal_reasons(  # noqa: PLR0913, PLR0917 - all that it depends on
    lists: RowLists,
    facts: Column,
    rules: Column,
    given: Column,
    kinds: Column,
    late_bounds: Rows,
    stamps: Column,
    retracted: Rows,
) -> tuple[Rows, Column]:
    """Why no entry of some facts is left, and the rules that it is about.

    The first hypothesis, by the time until which it could come, that can come no more; else the
    first evidence, by text, that was retracted; else, without another reason, the first evidence.

    Args:
        lists: of each entry of the facts that was minimal, the evidence that would have lasted.
        facts: (n,) the place of the fact of each.
        rules: (n,) the rule of each.
        given: (facts,) the rules of those without any.
        kinds: (facts,) the kinds of their reasons; `TEXT`: there is none, if there is evidence.
        late_bounds: (facts, k) in cells; elements are late below them.
        stamps: (facts,) the number of the stamp of each.
        retracted: (m, 4) that, and the ranks of a triple that is asserted no longer.

    Returns:
        (facts, 4) the kind of the reason and the ranks of the triple; (facts,) the rules.
    """
    out, of = np.full((len(given), 4), TEXT, np.int64), given.copy()
    out[:, 0] = kinds
    missing, evidence = lists.missing, lists.evidence
    until, bound = np.moveaxis(missing.times, -1, 0)
    place = np.arange(until.shape[1])
    expired = (place < missing.counts[:, None]) & (until < late_bounds[facts[:, None], bound >> 1])
    row, place = np.nonzero(expired)
    found = missing.terms[row, place]
    _choose(out, of, NOT_ARRIVED, facts[row], [until[row, place], *found.T, rules[row]])
    row, place = np.nonzero(evidence.terms[:, :, 0] * (out[facts, 0] != NOT_ARRIVED)[:, None])
    found = evidence.terms[row, place]
    was_retracted = _is_among(np.column_stack([stamps[facts[row]], found]), retracted)
    has_retracted = np.zeros(len(facts), np.bool_)
    has_retracted[row[was_retracted]] = True
    some = was_retracted | (~has_retracted[row] & (kinds[facts[row]] == TEXT))
    _choose(out, of, RETRACTED, facts[row[some]], [*found[some].T, rules[row[some]]])
    return out, of


def _choose(out: Rows, of: Column, kind: int, facts: Column, keys: Sequence[Column]) -> None:
    """Give each fact its first triple by ``keys``, whose last ones are the triple and its rule."""
    if not len(facts):
        return
    chosen = first_rows(facts, keys)
    out[facts[chosen], 0] = kind
    out[facts[chosen], 1:] = np.column_stack(keys[-4:-1])[chosen]
    of[facts[chosen]] = keys[-1][chosen]


def _is_among(rows: Rows, others: Rows) -> Mask:
    """Which rows are among others."""
    if not len(others):
        return np.zeros(len(rows), np.bool_)
    which = np.unique(np.concatenate([rows, others]), axis=0, return_inverse=True)[1].ravel()
    found: Mask = np.isin(which[: len(rows)], which[len(rows) :])
    return found
