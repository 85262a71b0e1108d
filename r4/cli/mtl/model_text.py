"""Models as text: a fact a line, as the commands print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import click

from r4.cli.mtl.answer_filter import say_sides, shown_window
from r4.sinks.file import open_file
from temporal.facts.bulk_writer import write_rows
from temporal.intervals.interval import Interval
from temporal.model.least_model import Model


def write_model(  # noqa: PLR0913 - what is shown of it
    model: Model,
    begin: Interval | None,
    end: Interval | None,
    most: int | None,
    *,
    derived_only: bool = False,
    periods: bool = False,
) -> tuple[Model, Iterator[bytes | bytearray]]:
    """The lines of a model, in pieces, and the model, with a limit if there are too many lines.

    Args:
        model: what is shown.
        begin: shows it from there on; None: from its segment on.
        end: shows it up to there.
        most: so many intervals are written where it repeats; None: any number.
        derived_only: shows it without its data.
        periods: shows how it goes on, too.
    """
    lo, hi = shown_window(model, begin, end, model.periodic.segment)
    say_sides(model, begin, end, lo, hi)
    model, hi = _affordable(model, lo, hi, most)
    return model, _lines(model, lo, hi, derived_only=derived_only, periods=periods)


def _affordable(model: Model, lo: int, hi: int, most: int | None) -> tuple[Model, int]:
    """The model, and up to where it is written; with ``most`` exceeded the model has that limit."""
    end = hi if most is None else model.periodic.until(lo, hi, most)
    if end == hi:
        return model, hi
    limit = f"more than {most:,} intervals to write; --from goes on behind them"
    return replace(model, limit=limit, known=(lo, end)), end


def _lines(
    model: Model, lo: int, hi: int, *, derived_only: bool, periods: bool
) -> Iterator[bytes | bytearray]:
    found = sorted(model.within(lo, hi, derived_only=derived_only), key=lambda each: each[0])
    relations = ((name, rows) for (name, _), rows in found)
    yield from write_rows(relations, model.terms, model.scale, model.notation)
    if periods:
        lines = model.period_lines()
        yield "".join(f"# {line}\n" for line in lines).encode()


def write_pieces(pieces: Iterable[bytes | bytearray], output: str) -> None:
    """Write pieces to a file, or to standard output.

    Raises:
        SinkLost: it can be written no further.
    """
    try:
        with open_file(output) as file:
            for piece in pieces:
                file.write(bytes(piece))
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"{output}: {error.strerror or error}"
        raise click.UsageError(message) from None
