"""Lines of answers: the two back ends agree, and times are those of the calendar."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from r4.time.ticks import TimeScale
from rete.arrays.delta import NEG_INF
from rete.kernels import load
from rete.kernels.text import pure_json
from rete.terms.dictionary import Dictionary

TEXTS = ["<a:b>", '"q\\"\\\\"', '"é\\u0001"@en', "_:d1_x"]


def render(kernel, ticks, per_second, digits, origin, *, open_ended):
    terms = Dictionary("pure")
    ids = terms.encode_many(TEXTS)
    n = len(ticks)
    op = np.arange(n, dtype=np.int8) % 2
    times = np.array([[t, t - 1, t + 5] for t in ticks], np.int64).reshape(n, 3)
    triples = np.array([[ids[i % 4], ids[0], ids[(i + 1) % 4]] for i in range(n)], np.int64)
    return kernel.triple_lines(
        terms.texts.arena,
        terms.texts.entries,
        op,
        times,
        np.ones(n, np.int64),
        triples.reshape(n, 3),
        [b"", b"7"],
        per_second,
        digits,
        origin,
        open_ended,
    )


@given(
    ticks=st.lists(st.integers(-(2**60), 2**60) | st.integers(-(10**13), 10**13), max_size=5),
    unit=st.sampled_from(["ms", "us", "ns", None]),
    open_ended=st.booleans(),
)
def test_lines_are_json_and_times_are_those_of_the_scale(ticks, unit, open_ended) -> None:
    scale = TimeScale(unit or "ms")
    layout = (scale.per_second, scale.digits, scale.origin) if unit else (0, 0, 0)
    lines = render(pure_json, ticks, *layout, open_ended=open_ended)
    for line, tick, i in zip(lines.decode().splitlines(), ticks, range(9), strict=False):
        answer = json.loads(line)
        shown = scale.text if unit else int
        assert answer == {
            "op": "-+"[i % 2], "at": shown(tick), "s": TEXTS[i % 4], "p": "<a:b>",
            "o": TEXTS[(i + 1) % 4], "from": shown(tick - 1),
            "until": None if open_ended and i % 2 else shown(tick + 5), "rule": 7,
        }  # fmt: skip
    try:
        compiled = load("compiled")["text._json"]
    except ImportError:
        return
    assert render(compiled, ticks, *layout, open_ended=open_ended) == lines


def test_what_always_holds_has_no_times() -> None:
    line = json.loads(render(pure_json, [NEG_INF], 1000, 3, 0, open_ended=True))
    assert (line["at"], line["from"], line["until"]) == (None, None, None)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))  # noqa: DTZ001
def test_dates_are_those_of_the_standard_library(moment) -> None:
    milliseconds = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        milliseconds=1
    )
    line = json.loads(render(pure_json, [milliseconds], 1000, 3, 0, open_ended=True))
    back = datetime.fromisoformat(line["at"])
    assert back == moment.replace(tzinfo=UTC, microsecond=moment.microsecond // 1000 * 1000)
