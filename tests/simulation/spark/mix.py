"""The mix of cases: text that `r4 run` reads too, some late, some taken back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.generators.draw import Draw, from_seed
from tests.generators.streams.metric_runs import random_metric_case
from tests.generators.streams.runs import RunCase, random_case
from tests.oracles.streams.intake import RETRACTS
from tests.simulation.early_results import out_of_order_case

SHARDS: Final = (1, 2, 4, 7)
MIX: Final = ("plain", "back", "late", "naf", "back naf", "metric", "late naf", "metric naf")
"""The kinds of cases, by seed."""
_STAMP: Final = re.compile(r"(?m)^(<http://g/\d+>) +(\S*generatedAtTime>) +(\S+) *\.")


def case_of(seed: int) -> RunCase:
    """The case of a seed, in the mix."""
    draw, kind = from_seed(seed), MIX[seed % len(MIX)]
    negation = kind.endswith("naf")
    match kind.split()[0]:
        case "metric":
            return random_metric_case(seed, negation=negation)
        case "late":
            return out_of_order_case(draw, negation=negation)
        case "back":
            given = random_case(seed, negation=negation)
            return replace(given, sources=tuple(_back(draw, text) for text in given.sources))
        case _:
            return random_case(seed, negation=negation)


def _back(draw: Draw, text: str) -> str:
    """The same with elements in between that take others back."""
    known = [found.groups() for found in _STAMP.finditer(text)]
    lines = text.split("\n")
    for number in range(draw.integer(1, 3) if known else 0):
        name = f"<urn:back{number}>"
        place, (_, about, stamp) = draw.integer(0, len(lines) - 1), draw.choice(known)
        taken = draw.choice(known)[0]
        element = [f"{name} {about} {stamp} .", f"{name} {RETRACTS} {taken} ."]
        lines[place:place] = element
    return "\n".join(lines)


def write_files(case: RunCase, folder: Path) -> tuple[str, list[str], list[str]]:
    """The rules of a case, and its static files and streams, as files."""
    rules = _write(folder / "rules.rif", case.rules)
    static = [_write(folder / f"static{n}.nt", text) for n, text in enumerate(case.statics)]
    streams = [_write(folder / f"stream{n}.nq", text) for n, text in enumerate(case.sources)]
    return rules, static, streams


def _write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def commands(case: RunCase, folder: Path, more: Sequence[str]) -> tuple[list[str], list[str]]:
    """The case for `r4 run`, and for `r4 spark` without its folders."""
    rules, static, streams = write_files(case, folder)
    always = [option for path in static for option in ("--static", path)]
    inputs = [option for path in streams for option in ("--input", path)]
    first = case.scenario.streams_first
    options = [*case.options(), *more]
    run = ["run", rules, *(streams + always if first else always + streams), *options]
    spark = ["spark", rules, *(inputs + always if first else always + inputs), *options]
    return run, spark


def report_options(draw: Draw, case: RunCase) -> list[str]:
    """Options of reports, or of lines of one kind, that fit the case."""
    if case.scenario.semantics != "facts" or draw.chance(15):
        return ["--ops", draw.choice("+-")]
    every = draw.integer(1, draw.choice((2, 5, 20)))
    offset = draw.weighted((50, 0), (50, draw.integer(0, 3 * every)))
    form = draw.choice(("state", "state+empty", "changes"))
    found = [f"--every={every}", f"--offset={offset}", f"--report={form}"]
    if draw.chance(35):
        found.append("--drain=all")
    return [*found, "--ops", draw.choice("+-")] if form == "changes" and draw.chance(25) else found


def options_of(seed: int) -> list[str]:
    """Further options that some cases have."""
    found = ["--literals", "value"] if seed % 5 == 0 else []
    return found + (["--include-input"] if seed % 7 == 0 else [])
