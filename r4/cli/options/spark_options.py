"""Where Spark runs, with which settings, and how rules fall apart into shards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from r4.cli.terminal.console import refuse
from r4.options.option import Topic, option, several
from r4.program.program import Program
from r4.spark.jobs.session import LOCAL, MEMORY
from r4.spark.partition.splitting import UNKNOWN, Rates
from rete.drawing.names import Names


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """Where Spark runs, and how."""

    master: str = option(
        "Where Spark runs.", Topic.SPARK, metavar="URL", shows_default=True, default=LOCAL
    )
    memory: str = option(
        "Heap of Spark's driver.", Topic.SPARK, metavar="SIZE", shows_default=True, default=MEMORY
    )
    settings: tuple[str, ...] = several(
        "A setting of Spark. Repeatable.", Topic.SPARK, spelling="--conf", metavar="NAME=VALUE"
    )


def settings_of(pairs: tuple[str, ...]) -> dict[str, str]:
    """The settings of Spark that ``--conf`` names."""
    settings: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.startswith("spark."):
            refuse(f"--conf {pair}: write spark.NAME=VALUE")
        settings[name] = value
    return settings


MOST_SHARDS: Final = 10_000


def render_partition(  # noqa: PLR0913 - the options of the command
    program: Program,
    shards: int,
    names: Names,
    form: str,
    rates: str | None,
    *,
    by_value: bool,
) -> str:
    """The partition of ``program`` as text, JSON or DOT."""
    from r4.spark.partition import rendering
    from r4.spark.partition.program_partition import partition

    if form == "svg":
        refuse("--as svg draws the network; with --shards there are text, json and dot")
    known = UNKNOWN if rates is None else _rates(rates)
    parts = partition(program, shards, rates=known, by_value=by_value)
    write = {"json": rendering.as_json, "dot": rendering.as_dot}.get(form, rendering.as_text)
    return write(parts, names)


def _rates(path: str) -> Rates:
    """The rates in a file: a JSON object of predicates, as IRIs, and numbers."""
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        refuse(f"--rates {path}: {getattr(error, 'strerror', None) or error}")
    if not isinstance(content, dict) or not all(map(_is_rate, content.values())):
        refuse(f"--rates {path}: write a JSON object of IRIs and numbers from 0 on")
    return Rates({f"<{name.strip('<>')}>": float(rate) for name, rate in content.items()})


def _is_rate(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value < float("inf")  # type: ignore[operator]
