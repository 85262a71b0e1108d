"""Histories for rules with aggregates and event times, as a `Meeting`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rif.syntax.terms import Literal
from tests.generators.draw import from_seed
from tests.generators.events.open_ranges import with_open_ranges
from tests.generators.events.programs import (
    HOUR,
    program,
    program_without_calendar,
    reads_earlier_answers,
)
from tests.generators.meetings.dimensions import COMMAND, LIBRARY
from tests.generators.meetings.histories import Given, meeting_of
from tests.generators.meetings.programs import NODES
from tests.generators.vocabulary import NUMBERS

if TYPE_CHECKING:
    from rif.syntax.ast import Document
    from rif.syntax.terms import GroundTerm
    from tests.generators.draw import Draw
    from tests.generators.meetings.histories import Meeting

DIMENSIONS: Final = (
    *(one for one in LIBRARY if one != "rules join"),
    *COMMAND,
    *("own ends", "delay", "late element", "element retracted", "triple retracted"),
    *("static data", "reference data", "literals by value", "order of arrival"),
    *("small batches", "drain"),
)
"""Dimensions of a meeting that rules with aggregates have, besides those of their programs."""

JUMPS: Final = (1_711_756_800_000, 1_729_900_800_000, 1_709_942_400_000)
"""Days on which clocks jump in Berlin (2024-03-30 and 10-26 are before) and New York."""


def library_case(draw: Draw, *, rare: bool = False) -> Meeting:
    """A case for an engine of the library, in small numbers, without a calendar."""
    fillers: tuple[GroundTerm, ...] = (*NODES[:1], *NUMBERS[:6])
    given = Given(program_without_calendar(draw, rare=rare), tuple(draw.some(fillers, 3, 5)))
    wanted = _dimensions(draw, given.document, library=True)
    return meeting_of(draw, wanted, given=given)


def event_case(draw: Draw, *, rare: bool = False) -> Meeting:
    """A case; a sixth are in hours, around a day when clocks jump.

    ``rare``: what is seldom else is frequent; a third of these are for an engine of the library.
    """
    if rare and draw.chance(33):
        return library_case(draw, rare=True)
    in_hours = draw.chance(16)
    unit = HOUR if in_hours else 1
    document = program(draw, unit=unit, rare=rare)
    wanted = _dimensions(draw, document, library=not in_hours and draw.chance(45))
    fillers = (*NODES[:1], *NUMBERS[:6], *((Literal("x"),) if draw.chance(15) else ()))
    begin = draw.choice(JUMPS) + draw.integer(-4, 30) * HOUR if in_hours else None
    clock = "dateTime" if in_hours else "integer"
    given = Given(document, tuple(draw.some(fillers, 3, 5)), unit, begin, clock)
    return meeting_of(draw, wanted, command=in_hours or bool(wanted & {*COMMAND}), given=given)


def _dimensions(draw: Draw, document: Document | None, *, library: bool) -> frozenset[str]:
    """Some of them, and rules that leave more often where rules read their earlier answers."""
    apart = set(COMMAND if library else LIBRARY)
    found = set(draw.some([one for one in DIMENSIONS if one not in apart], 1, 7))
    if "shards" in found:
        found.discard("order of arrival")
    if library and document and reads_earlier_answers(document) and draw.chance(40):
        found.add("rules leave")
    if "TriG" in found:
        found.discard("triple retracted")
    if "triple retracted" in found and not library:
        found.add("RDF Patch")
    return frozenset(found)


def random_event_case(seed: int) -> Meeting:
    """The case of a seed; what is rare in others is frequent in a third of them.

    In a fifth of them ranges end in variables, if there are ranges.
    """
    case = event_case(from_seed(seed), rare=seed % 3 == 2)
    return with_open_ranges(case, from_seed(-1 - seed)) if seed % 5 == 3 else case
