"""Faults in what is said of entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

from temporal.hypothetical import rivals
from temporal.hypothetical.entries import Hypotheses, Moment
from temporal.hypothetical.instances import Instances
from temporal.hypothetical.question import Question
from temporal.hypothetical.schemas import Answer, Stated
from temporal.hypothetical.sole import Sole
from temporal.hypothetical.tally import Tally, Turns
from tests.planted import Fault


def more_hypotheses_than_are_needed() -> AbstractContextManager[object]:
    """All sets of hypotheses are told."""
    return patch.object(Hypotheses, "beats", lambda *_: False)


def bounds_do_not_count() -> AbstractContextManager[object]:
    """Fewer hypotheses are enough, whatever times they allow."""

    def beats(here: Hypotheses, other: Hypotheses) -> bool:
        return here.atoms < other.atoms

    return patch.object(Hypotheses, "beats", beats)


def any_evidence_will_do() -> AbstractContextManager[object]:
    """Of several evidences the greatest is told."""

    def greatest(some: Any) -> Any:
        found = list(some)
        return max(found) if isinstance(found[0], list) else min(found)

    return patch.object(rivals, "min", greatest, create=True)


def any_reason_will_do() -> AbstractContextManager[object]:
    """Of several reasons the last is told."""
    right: Any = Moment.__dict__["missed"]

    def missed(here: Moment) -> Iterator[Stated]:
        yield max(right.fget(here))

    return patch.object(Moment, "missed", property(missed))


def needless_hypotheses_are_a_reason() -> AbstractContextManager[object]:
    """What nobody waited for is blamed."""

    def missed(here: Moment) -> Iterator[Stated]:
        for some in here.ended.values():
            yield from some

    return patch.object(Moment, "missed", property(missed))


def what_has_come_is_a_reason() -> AbstractContextManager[object]:
    """An atom that came at the last moment is blamed."""
    right = Tally.settle

    def settle(here: Tally, frontier: int) -> Turns:
        begun, ended = right(here, frontier)
        return Turns(begun, ended._replace(bits=ended.bits * 0))

    return patch.object(Tally, "settle", settle)


def instances_do_not_count() -> AbstractContextManager[object]:
    """An answer is withdrawn although instances of it are possible."""

    def generals(here: Instances, answer: Answer) -> Iterator[Answer]:  # noqa: ARG001
        return iter(())

    return patch.object(Instances, "generals", generals)


def confirmed_instances_do_not_count() -> AbstractContextManager[object]:
    """An answer is withdrawn although an instance was confirmed meanwhile."""
    right = Instances.confirm

    def confirm(here: Instances, answer: Answer) -> Iterator[Answer]:
        list(right(here, answer))
        return iter(())

    return patch.object(Instances, "confirm", confirm)


def instances_confirmed_before_do_not_count() -> AbstractContextManager[object]:
    """An answer is withdrawn although an instance was confirmed before anything was said of it."""
    return patch.object(Instances, "has_confirmed", lambda *_: False)


def confirmed_answers_are_forgotten() -> AbstractContextManager[object]:
    """Once an answer is certain it may be supported again."""
    return patch.object(Question, "until", lambda *_: -1)


def by_the_text_of_atoms() -> AbstractContextManager[object]:
    """Lines stand in the order of another text."""
    right = Question.text

    def text(here: Question, answer: Answer) -> str:
        return right(here, answer).replace("}", "!")

    return patch.object(Question, "text", text)


def atoms_in_the_order_of_rules() -> AbstractContextManager[object]:
    """Lists of atoms are not ordered where there is one schema."""
    right = Sole.__init__

    def init(here: Sole, *args: Any) -> None:
        right(here, *args)
        here._order = sorted(here._order)

    return patch.object(Sole, "__init__", init)


def lines_of_sole_answers_by_value() -> AbstractContextManager[object]:
    """Numbers are ordered as such, things as they came."""
    return patch.object(Sole, "_rank", lambda _, __, column: column)


FAULTS: Final[tuple[Fault, ...]] = (
    more_hypotheses_than_are_needed,
    bounds_do_not_count,
    any_evidence_will_do,
    any_reason_will_do,
    needless_hypotheses_are_a_reason,
    what_has_come_is_a_reason,
    instances_do_not_count,
    confirmed_instances_do_not_count,
    instances_confirmed_before_do_not_count,
    confirmed_answers_are_forgotten,
    by_the_text_of_atoms,
    atoms_in_the_order_of_rules,
    lines_of_sole_answers_by_value,
)
