"""Reports at marks of time, as the command line asks for them."""

from __future__ import annotations

from typing import Final

from r4.answers.periodic_report import ReportSettings
from r4.cli.terminal.console import refuse
from r4.options.report_options import BadReport, ReportOptions
from r4.time.ticks import TimeScale

OF_FACTS: Final = "--every reports what is final of facts, so it goes without"
"""Begins the refusal of answers that are no final facts; their option follows."""


def report_of(options: ReportOptions, scale: TimeScale) -> ReportSettings | None:
    """When there are reports, and of what; None: there are none."""
    try:
        return options.report_settings(scale, lambda name: f"--{name}")
    except BadReport as error:
        refuse(str(error))
