"""``r4 mtl check``: reports all faults of a program with metric time, and its kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeAlias

import click

from r4.cli.mtl.inputs import form_option, name_of, read_program, report_refused
from r4.cli.mtl.misspellings import warn_of_constants
from rif.errors.report import shorten
from temporal.intervals.interval import End
from temporal.intervals.notation import format_distance
from temporal.mtl.analysis import Direction, ProgramAnalysis, analyse
from temporal.mtl.ast import BOTTOM_NAME
from temporal.mtl.lowering import lower
from temporal.mtl.normal_form import normalise
from temporal.mtl.operators import BOTTOM_WORD
from temporal.mtl.validation import notation_of
from temporal.streaming.stream_profile import StreamProfile, profile_streams
from temporal.streaming.stream_query import Memory
from temporal.text.writer import write_program

_NAMED: Final = 5
"""So many predicates are named."""
_Number: TypeAlias = Callable[[End], str]
"""A distance as the program writes it."""

_LOOKS = {
    Direction.NOW: "rules look at the present alone",
    Direction.PAST: "rules look back alone: forward-propagating",
    Direction.FUTURE: "rules look ahead alone: backward-propagating",
    Direction.BOTH: "rules look back and ahead",
}


@click.command()
@click.argument("program")
@form_option("text", "json", meaning="Sentences for people, or values for a program.")
@click.option("--normal-form", is_flag=True, help="Print the program in normal form instead.")
def command(program: str, form: str, *, normal_form: bool) -> int:
    """Say all that is wrong with PROGRAM, or what kind of program it is and how it is run.

    \b
      r4 mtl check program.txt
      r4 mtl check program.txt --as json
      r4 mtl check program.txt --normal-form

    Exit 3 if it cannot be run.
    """  # noqa: D301 - \b keeps click from filling the examples
    rules = read_program(program)
    known = analyse(rules)
    number = partial(format_distance, notation=notation_of(rules))
    name = name_of(program)
    with report_refused(name):
        lower(rules, known.scale)
        streams = profile_streams(rules, known)
    warn_of_constants(rules, None)
    if normal_form:
        click.echo(write_program(normalise(rules)), nl=False)
    elif form == "json":
        values = {**_values(known, number), "stream": _stream_values(streams, number)}
        click.echo(json.dumps(values, ensure_ascii=False, indent=2))
    else:
        for line in (*_sentences(known, name, number), _stream_sentence(streams, number)):
            click.echo(line)
    return 0


def _values(known: ProgramAnalysis, number: _Number) -> dict[str, object]:
    return {
        "rules": known.rules,
        "constraints": known.constraints,
        "direction": known.direction.value,
        "forward_propagating": known.is_forward_propagating,
        "lookback": number(known.lookback),
        "lookahead": number(known.lookahead),
        "depth": number(known.depth),
        "step": number(known.step),
        "bounded": known.is_bounded,
        "punctual": known.has_punctual,
        "negation": known.negates,
        "recursive": known.is_recursive,
        "endless": known.may_be_endless,
        "algorithm": known.algorithm.value,
        "memory_bounded": known.has_bounded_memory,
    }


def _sentences(known: ProgramAnalysis, name: str, number: _Number) -> Iterator[str]:
    rules = "1 rule" if known.rules == 1 else f"{known.rules} rules"
    yield f"{name}: {rules}, no faults"
    if known.constraints:
        count = known.constraints
        some = "1 of them is a constraint" if count == 1 else f"{count} of them are constraints"
        yield f"  {some}: where the body of one holds, the program is inconsistent"
    yield f"  {_LOOKS[known.direction]}"
    back, ahead = _far(known.lookback, number), _far(known.lookahead, number)
    yield f"  a rule looks back {back}, ahead {ahead}"
    yield f"  depth {number(known.depth)}, all numbers are multiples of {number(known.step)}"
    ranges = "all ranges end" if known.is_bounded else "some ranges have no end"
    points = "some are one point" if known.has_punctual else "none is one point"
    yield f"  {ranges}, {points}"
    if known.negates:
        yield "  something is negated, and the rules are stratified"
    yield f"  materialise: {known.algorithm.meaning}"


def _stream_values(streams: StreamProfile, number: _Number) -> dict[str, object]:
    return {
        "memory": streams.memory.value,
        "window": number(streams.window),
        "certain_after": {
            BOTTOM_WORD if name == BOTTOM_NAME else name: None if end is None else number(end)
            for name, end in sorted(streams.certain_after.items())
        },
    }


def _stream_sentence(streams: StreamProfile, number: _Number) -> str:
    memory = f"{streams.memory.value} memory"
    if streams.window is not None:
        memory += f" of the last {number(streams.window)}"
    if streams.memory is Memory.DENSE:
        memory += ", whatever the stamps"
    if never := streams.never_certain:
        words = (BOTTOM_WORD if name == BOTTOM_NAME else shorten(name) for name in never[:_NAMED])
        shown = ", ".join(words) + (", …" if len(never) > _NAMED else "")
        return f"  stream: {memory}; answers of {shown} are never certain"
    after = (
        f"has passed them by {number(streams.longest)}" if streams.longest else "has passed them"
    )
    return f"  stream: {memory}; answers are certain when the frontier {after}"


def _far(end: End, number: _Number) -> str:
    return "for ever" if end is None else "not at all" if end == 0 else f"{number(end)} at most"
