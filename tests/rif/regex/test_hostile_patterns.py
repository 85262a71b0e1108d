"""Hostile patterns are answered, or are beyond a bound."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rif.regex import BadPattern, Inexpressible
from rif.regex.parser import MAX_LENGTH
from tests.rif.regex.operations import fault, matches, replace

HOSTILE = [
    ("(" * 5_000 + ")" * 5_000, ""),
    ("(?:" * 2_000, ""),
    ("[a-" * 3_000, ""),
    ("[^\\w-" * 1_600 + "[a]" + "]" * 1_600, ""),
    ("a" * (MAX_LENGTH + 1), ""),
    (r"\w" * 5_000, ""),
    (r"\w{1000}", ""),
    (r"(?:\w{30}){30}", "i"),
    ("((((a{1000}){1000}){1000}){1000}){1000}", ""),
    ("|".join(f"[^{chr(0x4E00 + at)}]{{900}}" for at in range(900)), ""),
    ("a{" + "9" * 9_000 + "}", ""),
    ("(a)" + r"\1" * 4_000, ""),
    ("".join(f"[\\w-[{chr(0x4E00 + at)}]]" for at in range(1_000)), ""),
]


@pytest.mark.parametrize(("pattern", "flags"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_pattern_is_beyond_a_bound(pattern: str, flags: str) -> None:
    assert fault(pattern, flags)[0] in {BadPattern, Inexpressible}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(a*)*b", False),
        ("(a|a)*b", False),
        ("(a|aa)+$", True),
        ("(?:a?){500}a{500}", True),
        ("(.*a){12}b", False),
        (r"(\w+\s?)*!", False),
        ("[" + r"\w" * 4_000 + "]b", False),
        ("^" * 9_000 + "a", True),
        ("(?:" * 90 + "a" + ")*" * 90, True),
    ],
    ids=range(9),
)
def test_what_makes_others_backtrack_for_ever_is_answered(pattern: str, *, expected: bool) -> None:
    assert matches("a" * 20_000, pattern) == expected


BOUNDED = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from rif.regex import RegexError, compile_pattern
for pattern, flags in json.load(sys.stdin):
    try:
        compile_pattern(pattern, flags).search("ab" * 10_000)
    except RegexError:
        pass
"""


def test_hostile_patterns_need_less_than_a_gigabyte_and_a_minute() -> None:
    pytest.importorskip("resource")
    patterns = [*HOSTILE, (r"\w{1,100}", ""), ("(?:[ab]{0,30}x?){30}[^a]{9}c", "")]
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED],
        input=json.dumps(patterns),
        text=True,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_thousand_groups_may_stand_and_some_may_be_referred_to() -> None:
    pattern = "(a?)" * 1_000 + "b"
    assert replace("aab", pattern, "$2$1") == "aa"
    with pytest.raises(Inexpressible):
        replace("aab", pattern, "".join(f"${number}" for number in range(1, 200)))


def test_a_result_beyond_all_bounds_is_refused() -> None:
    with pytest.raises(Inexpressible):
        replace("a" * 10_000, "a", "b" * 10_000)
