"""The examples of [CruzFilipe22] whose entries or answers change with time, state by state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tests.generators.hypothetical.text import atom, fact, program
from tests.oracles.hypothetical.definitions import Delta
from tests.oracles.hypothetical.output_lines import EntryLine, LineOracle, shown_atom
from tests.oracles.hypothetical.states import Entry

TURBINES: Final = """
Temp(X,high,T) -> Flag(X,T)
Flag(X,T), Flag(X,T+1) -> Cool(X,T+1)
Cool(X,T), Flag(X,T+1) -> Shdn(X,T+1)
Shdn(X,T) -> Malf(X,T-2)
"""
DEFECTS: Final = f"{TURBINES}Temp(X,high,T1), Temp(X,na,T2) -> Defective(X,0)\n"


@dataclass(frozen=True, slots=True)
class ExampleStep:
    """A slice, and what is known after it.

    Attributes:
        entries: the schematic supported answers: answer, evidence, hypotheses.
        lines: status, answer, evidence, hypotheses, because.
    """

    tau: int
    facts: str
    entries: tuple[tuple[str, str, str], ...]
    lines: tuple[tuple[str, dict[str, object], str, str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A query, and what comes in."""

    name: str
    program: str
    query: str
    delays: tuple[tuple[str, int], ...]
    steps: tuple[ExampleStep, ...]

    def oracle(self) -> LineOracle:
        """An oracle that has read nothing yet."""
        return LineOracle(program(self.program), atom(self.query), Delta(0, self.delays))

    @property
    def text(self) -> str:
        """All facts with their arrivals."""
        lines = []
        for step in self.steps:
            lines += [f"@{step.tau}\n", *(f"@{step.tau} {one}\n" for one in step.facts.split())]
        return "".join(lines)


def high(wt: str, *times: int) -> str:
    """Readings of a turbine."""
    return " ".join(f"Temp({wt},high,{time})" for time in times)


def malf(wt: str, time: int) -> dict[str, object]:
    """An answer to the query about malfunctions."""
    return {"X": wt, "T": time}


def entries_of(state: frozenset[Entry]) -> set[tuple[str, str, str]]:
    """The entries of a state that have evidence, as text."""
    return {
        (
            shown_atom(one.answer),
            " ".join(
                f"{name}({','.join((*args, str(at)))})" for name, args, at in sorted(one.evidence)
            ),
            " ".join(sorted(map(shown_atom, one.hypotheses))),
        )
        for one in state
        if one.evidence
    }


def lines_of(step: ExampleStep) -> list[EntryLine]:
    """The lines of a step."""
    return [
        {
            "tau": step.tau,
            "status": status,
            "answer": answer,
            "evidence": evidence.split(),
            "hypotheses": hypotheses.split(),
            "because": because,
        }
        for status, answer, evidence, hypotheses, because in step.lines
    ]


def facts_of(step: ExampleStep) -> list[tuple[str, tuple[str, ...], int]]:
    """The slice of a step."""
    return list(map(fact, step.facts.split()))


_FIRST = ExampleStep(
    0,
    high("wt2", 0),
    (("Malf(wt2,0)", high("wt2", 0), high("wt2", 1, 2)),),
    (("supported", malf("wt2", 0), high("wt2", 0), high("wt2", 1, 2), None),),
)
_NOTHING_NEW = ExampleStep(1, "", _FIRST.entries)

EXAMPLES: Final = (
    Example(
        "1 to 3: all comes in time",
        TURBINES,
        "Malf(X,T)",
        (),
        (
            _FIRST,
            ExampleStep(
                1,
                high("wt2", 1),
                (
                    ("Malf(wt2,0)", high("wt2", 0, 1), high("wt2", 2)),
                    ("Malf(wt2,1)", high("wt2", 1), high("wt2", 2, 3)),
                ),
                (
                    ("supported", malf("wt2", 0), high("wt2", 0, 1), high("wt2", 2), None),
                    ("supported", malf("wt2", 1), high("wt2", 1), high("wt2", 2, 3), None),
                ),
            ),
            ExampleStep(
                2,
                high("wt2", 2),
                (
                    ("Malf(wt2,0)", high("wt2", 0, 1, 2), ""),
                    ("Malf(wt2,1)", high("wt2", 1, 2), high("wt2", 3)),
                    ("Malf(wt2,2)", high("wt2", 2), high("wt2", 3, 4)),
                ),
                (
                    ("supported", malf("wt2", 1), high("wt2", 1, 2), high("wt2", 3), None),
                    ("supported", malf("wt2", 2), high("wt2", 2), high("wt2", 3, 4), None),
                    ("answer", malf("wt2", 0), high("wt2", 0, 1, 2), "", None),
                ),
            ),
        ),
    ),
    Example(
        "4 and 5: what is late may still come",
        TURBINES,
        "Malf(X,T)",
        (("Temp", 1),),
        (
            ExampleStep(
                0,
                high("wt4", 0),
                (("Malf(wt4,0)", high("wt4", 0), high("wt4", 1, 2)),),
                (("supported", malf("wt4", 0), high("wt4", 0), high("wt4", 1, 2), None),),
            ),
            ExampleStep(1, "", (("Malf(wt4,0)", high("wt4", 0), high("wt4", 1, 2)),)),
        ),
    ),
    Example(
        "6: an instance is answered, others are possible",
        "q(X,T) :- p(X,T), r(Y,T)",
        "q(X,T)",
        (("p", 2), ("r", 0)),
        (
            ExampleStep(
                0,
                "p(a,0) r(b,0)",
                (("q(a,0)", "p(a,0) r(b,0)", ""), ("q(?X,0)", "r(b,0)", "p(?X,0)")),
                (
                    ("supported", {"X": "?X", "T": 0}, "r(b,0)", "p(?X,0)", None),
                    ("answer", {"X": "a", "T": 0}, "p(a,0) r(b,0)", "", None),
                ),
            ),
            ExampleStep(1, "", (("q(a,0)", "p(a,0) r(b,0)", ""), ("q(?X,0)", "r(b,0)", "p(?X,0)"))),
            ExampleStep(
                2,
                "p(c,0)",
                (("q(a,0)", "p(a,0) r(b,0)", ""), ("q(c,0)", "p(c,0) r(b,0)", "")),
                (("answer", {"X": "c", "T": 0}, "p(c,0) r(b,0)", "", None),),
            ),
        ),
    ),
    Example(
        "7, first case: neither comes",
        TURBINES,
        "Malf(X,T)",
        (("Temp", 1),),
        (
            _FIRST,
            _NOTHING_NEW,
            ExampleStep(2, "", (), (("withdrawn", malf("wt2", 0), "", "", "Temp(wt2,high,1)"),)),
        ),
    ),
    Example(
        "7, second case: one comes, and the other may still",
        TURBINES,
        "Malf(X,T)",
        (("Temp", 1),),
        (
            _FIRST,
            _NOTHING_NEW,
            ExampleStep(
                2,
                high("wt2", 1),
                (
                    ("Malf(wt2,0)", high("wt2", 0, 1), high("wt2", 2)),
                    ("Malf(wt2,1)", high("wt2", 1), high("wt2", 2, 3)),
                ),
                (
                    ("supported", malf("wt2", 0), high("wt2", 0, 1), high("wt2", 2), None),
                    ("supported", malf("wt2", 1), high("wt2", 1), high("wt2", 2, 3), None),
                ),
            ),
        ),
    ),
    Example(
        "7, third case: both come",
        TURBINES,
        "Malf(X,T)",
        (("Temp", 1),),
        (
            _FIRST,
            _NOTHING_NEW,
            ExampleStep(
                2,
                high("wt2", 1, 2),
                (
                    ("Malf(wt2,0)", high("wt2", 0, 1, 2), ""),
                    ("Malf(wt2,1)", high("wt2", 1, 2), high("wt2", 3)),
                    ("Malf(wt2,2)", high("wt2", 2), high("wt2", 3, 4)),
                ),
                (
                    ("supported", malf("wt2", 1), high("wt2", 1, 2), high("wt2", 3), None),
                    ("supported", malf("wt2", 2), high("wt2", 2), high("wt2", 3, 4), None),
                    ("answer", malf("wt2", 0), high("wt2", 0, 1, 2), "", None),
                ),
            ),
        ),
    ),
    Example(
        "8: a defect may show at any time",
        DEFECTS,
        "Defective(X,T)",
        (),
        (
            ExampleStep(
                0,
                high("wt2", 0),
                (("Defective(wt2,0)", high("wt2", 0), "Temp(wt2,na,?T2)"),),
                (("supported", malf("wt2", 0), high("wt2", 0), "Temp(wt2,na,?T2)", None),),
            ),
            ExampleStep(1, "", (("Defective(wt2,0)", high("wt2", 0), "Temp(wt2,na,?T2)"),)),
        ),
    ),
)
