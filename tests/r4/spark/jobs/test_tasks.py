"""Of a trace through two languages the line that says what happened."""

from __future__ import annotations

import pytest

from r4.spark.jobs.tasks import cause

ENDED = "[STREAM_FAILED] Query [id = 5, runId = 6] terminated with exception: "


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Job aborted:\n  File x\nValueError: no\n  at org.Error: y\n", "ValueError: no"),
        ("Job aborted\nat org.apache", "Job aborted"),
        (f"{ENDED}Python worker exited SQLSTATE: XXKST\nat org", "Python worker exited"),
        (f"{ENDED} SQLSTATE: XXKST", "a process of it was lost"),
    ],
)
def test_one_line_says_why(text: str, why: str) -> None:
    assert cause(text) == why
