"""Facts that end before the next one of their subject comes, against a count one by one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from r4.program.compiler import compile_document
from r4.run.findings.reading_gaps import ReadingGaps
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.drawing.names import Names
from rete.terms.dictionary import Dictionary
from tests.rif.rule_parser import parse_rules

COPY = "Forall ?s ?v (?s[<urn:q> -> ?v] :- ?s[<urn:p> -> ?v])"
BOX = "Forall ?s (?s[<urn:q> -> 1] :- BoxMinus [0 ms, 9 ms] (Exists ?v (?s[<urn:p> -> ?v])))"
BRIDGED = BOX.replace("(Exists", "(DiamondMinus [0 ms, 3 ms] (Exists").replace("?v])))", "?v]))))")


@given(
    facts=st.lists(st.tuples(st.integers(1, 2), st.integers(0, 30)), max_size=12),
    window=st.integers(1, 6),
    rule=st.sampled_from([COPY, BOX, BRIDGED]),
)
def test_the_gaps_that_are_told_are_those_between_neighbours(
    facts: list[tuple[int, int]], window: int, rule: str
) -> None:
    document = parse_rules(rule).document
    terms = Dictionary()
    subjects = terms.encode_many(["<urn:a>", "<urn:b>"]).tolist()
    predicate = terms.encode("<urn:p>")
    gaps = ReadingGaps(compile_document(document, TimeScale()).emits, window, terms)
    for subject, at in facts:
        rows = np.array([[subjects[subject - 1], predicate, predicate]])
        gaps.note(Batch(rows, np.array([at]), np.array([NO_END]), at, at))
    bridged = window + (3 if rule == BRIDGED else 0)
    found = []
    for subject in (1, 2):
        stamps = sorted({at for one, at in facts if one == subject})
        found += [later - at for at, later in pairwise(stamps)]
    wide = [gap for gap in found if gap > bridged]
    told = wide and (rule != COPY or 10 * (len(found) - len(wide)) >= len(found))
    lines = list(gaps.lines(Names(per_second=1000)))
    assert len(lines) == bool(told)
    for line in lines:
        assert f"{len(wide)} of {len(found)} times" in line
        assert f"than the {bridged} ms that it lasts" in line
        assert f"the longest is {max(found)} ms" in line
