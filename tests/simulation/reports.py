"""`r4 run --every` of random runs, compared with reports made of the lines of the plain run."""

from __future__ import annotations

import difflib
import json
import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tests.generators.draw import from_seed
from tests.generators.streams.runs import random_case
from tests.generators.streams.zoned_runs import zoned_run
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.reports import Period, Report
from tests.oracles.streams.run import read_all
from tests.simulation.command import CommandOutput, call, run, small_batches
from tests.simulation.stream_comparison import cut_of

FORMS = ("state", "state+empty", "changes")


def compare(count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements, by seed, of random programs and streams."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(first, first + count):
            case, draw = random_case(seed), from_seed(-1 - seed)
            if case.scenario.semantics != "facts":
                continue
            intake = read_all(case.scenario)
            span = 10
            if math.isfinite(intake.first):
                span = int(intake.last - intake.first)
            every = draw.integer(1, max(2, span // draw.choice((1, 2, 5, 20))))
            period = Period(every, draw.weighted((50, 0), (50, draw.integer(0, 3 * every))))
            drain = case.scenario.drain or 0
            times = intake.first, intake.last, drain, case.scenario.clock
            report = Report(period, draw.choice((*FORMS, "changes")), *times)
            plain = run(case, folder, "--quiet")
            more: list[str] = []
            predicates = sorted({each["p"] for each in _parsed(plain.lines()) if "p" in each})
            if predicates and draw.chance(40):
                more = ["--only", draw.choice(predicates)[1:-1]]
                plain = run(case, folder, "--quiet", *more)
            if plain.code:
                found["fails"] += 1
                continue
            given = ["--every", str(every), "--offset", str(period.offset), "--report", report.form]
            for cut in (None, cut_of(seed)):
                with nullcontext() if cut is None else small_batches(cut):
                    printed = run(case, folder, *given, *more, "--quiet")
                wrong = _difference(report, plain, printed)
                if wrong:
                    faults.setdefault(seed, f"cut: {cut}\n{report}\n{more}\n{case}\n{wrong}")
            _note(found, report, printed)
    return found, faults


def compare_zoned(count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """The same of days and months of zones."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as name:
        rules, stream = Path(name) / "rules.rif", Path(name) / "stream.nq"
        for seed in range(first, first + count):
            case, draw = zoned_run(seed), from_seed(-1 - seed)
            rules.write_text(case.rules)
            stream.write_text(case.stream)
            period = case.period
            report = Report(period, draw.choice(FORMS), case.first, case.last)
            command = ["run", str(rules), str(stream), "--quiet"]
            plain = call(command)
            every = f"{period.every} {'month' if period.months else 'd'}"
            options = ["--every", every, "--offset", f"{period.offset}ms", "--zone", period.zone]
            printed = call([*command, *options, "--report", report.form])
            if wrong := _difference(report, plain, printed):
                faults[seed] = f"{report}\n{case.rules}{case.stream}\n{wrong}"
            _note(found, report, printed)
    return found, faults


def _parsed(lines: Sequence[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def _difference(report: Report, plain: CommandOutput, printed: CommandOutput) -> str | None:
    """How the lines of a run with reports differ from those of the definition."""
    try:
        wanted = report.lines(plain.lines())
    except TooBig:
        return None
    if printed.code == 0 and printed.lines() == wanted:
        return None
    changes = difflib.unified_diff(wanted, printed.lines(), "expected", "printed", lineterm="", n=1)
    return f"exit {printed.code}\n{printed.err}\n" + "\n".join(changes)


def _note(found: Counter[str], report: Report, printed: CommandOutput) -> None:
    found["runs"] += 1
    lines = _parsed(printed.lines())
    found[report.form] += 1
    found["lines"] += bool(lines)
    found["ends"] += any(each["op"] == "-" for each in lines)
    found["empty marks"] += any("s" not in each and "atom" not in each for each in lines)
    found["several marks"] += len({each["at"] for each in lines}) > 1
