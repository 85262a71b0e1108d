"""TOML whose keys have few parts: longer ones are refused before the parser sees them."""

from __future__ import annotations

import tomllib

import pytest

from r4.limited_toml import MOST_PARTS, read_toml

LONG = ".".join(["a"] * (MOST_PARTS + 1))


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        f"x = 1\n [{LONG}]",
        f"x = 1\n[[{LONG}]]",
        f"x = {{{LONG} = 1}}",
        "'a'" + ' \t. "b"' * MOST_PARTS + " = 1",
        'x = """\n""" # """\n' + LONG,
        "x = '''\n'''' # '\n" + LONG,
        "a." * 100_000,
    ],
)
def test_a_key_of_very_many_parts_is_refused(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=f"{MOST_PARTS} parts .at line"):
        read_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        LONG[2:] + " = 1",
        f"x = '{LONG}'",
        f'x = "\\"{LONG}"',
        f'x = """\n{LONG}\\""""""',
        f"x = '''\n{LONG}''''",
        f"x = 1 # {LONG}\ny = 1.5",
        f"x = [{'1.5, ' * 1000}]",
        f"'{LONG}'.x = 2020-01-01T00:00:00.5",
    ],
)
def test_other_keys_and_all_values_are_read(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


def test_a_refused_key_is_named_by_its_place() -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match="line 3, column 2"):
        read_toml(f"x = 1\n\n[{LONG}]\n")
