"""The rules that find evidence for possible answers, and what is said about those without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from r4.cli.terminal.console import say
from r4.imports import Closure
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import (
        EvidenceRules,
        HypothesisOptions,
    )


class NoRuleFollowed(Exception):
    """No rule has possible answers, as was reported for each."""


def evidence_rules(  # noqa: PLR0913 - all that they depend on
    closure: Closure,
    hypotheses: HypothesisOptions,
    static: Sequence[Rows],
    terms: Dictionary,
    *,
    per_second: int,
    instances: bool,
) -> EvidenceRules:
    """The rules of ``closure``, rewritten; those that are not followed are reported.

    Args:
        closure: the rules, with what they import.
        hypotheses: the options of possible answers.
        static: triples, (n, 3), that always hold.
        terms: the dictionary of all ids.
        per_second: ticks in a second.
        instances: whether answers are instances, not facts.

    Raises:
        NoRuleFollowed: there are none.
    """
    from temporal.hypothetical.rif_rules.rewriting.expected_input import static_vocabulary
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import rewrite_for_hypotheses

    rewritten = rewrite_for_hypotheses(
        *(closure.documents, per_second, hypotheses),
        *static_vocabulary(static, terms),
        instances=instances,
    )
    for each in rewritten.unfollowed:
        say(closure.sources[each.document].notes([each.error]).report())
    unmet = (one for each in rewritten.shapes.values() for one in each.unmet)
    for name in hypotheses.chances.idle(unmet) if hypotheses.chances else ():
        say(f"warning: --chance {name}: no rule waits for it")
    if rewritten.rules and not rewritten.followed:
        raise NoRuleFollowed
    return rewritten
