r"""Random regular expressions with what they mean by definition [XSD G; XPath-Functions 5.6].

A case is a pattern as it is written, and a function from a text and a place in it to all places
where a match that begins there may end. Slow and obvious; shares no code with `rif.regex`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

ALPHABET = "aAbkK1-_ \n\rßſ\u212aΣσς²\u0661.\U0001d7d8\U00010400\U00010428"
"""Characters with variants, digits that are none of ASCII, letters beyond the first plane."""

Ends = Callable[[str, int], set[int]]
Test = Callable[[str], bool]


@dataclass(frozen=True)
class ExpressionCase:
    """A piece of a pattern: its text, its meaning, and whether it can match the empty text."""

    text: str
    ends: Ends
    empty: bool = False


def search(case: ExpressionCase, text: str) -> bool:
    return any(case.ends(text, at) for at in range(len(text) + 1))


# characters


def variants(char: str) -> Test:
    return lambda other: char.lower() == other.lower() or char.upper() == other.upper()


LOWER, UPPER = {char.lower() for char in ALPHABET}, {char.upper() for char in ALPHABET}
FOLDED = [
    char for char in map(chr, range(0x20000)) if char.lower() in LOWER or char.upper() in UPPER
]
"""The alphabet, and all variants of what is in it."""


def in_category(*names: str) -> Test:
    return lambda char: unicodedata.category(char).startswith(names)


def other_than(test: Test) -> Test:
    return lambda char: not test(char)


def between(low: str, high: str) -> Test:
    return lambda char: low <= char <= high


# \i and \c are asked for characters of the alphabet alone.
MULTIPLE: dict[str, Test] = {
    r"\s": lambda char: char in " \t\n\r",
    r"\d": in_category("Nd"),
    r"\w": other_than(in_category("P", "Z", "C")),
    r"\p{Lu}": in_category("Lu"),
    r"\p{L}": in_category("L"),
    r"\p{IsBasicLatin}": lambda char: char < "\x80",
    r"\i": lambda char: char not in "1- \n\r².",
    r"\c": lambda char: char not in " \n\r²",
}
MULTIPLE |= {
    name[0] + name[1].upper() + name[2:]: other_than(test) for name, test in MULTIPLE.items()
}


def folded(test: Test, any_case: bool) -> Test:
    if not any_case:
        return test
    return lambda char: any(test(other) for other in FOLDED if variants(char)(other))


def written(char: str) -> str:
    return f"\\{char}" if char in "-.[]^" else {"\n": "\\n", "\r": "\\r"}.get(char, char)


@st.composite
def group_parts(draw: st.DrawFn, any_case: bool) -> tuple[str, Test]:
    kind = draw(st.sampled_from(["char", "range", "escape"]))
    if kind == "escape":
        return draw(st.sampled_from(sorted(MULTIPLE.items())))
    low = draw(st.sampled_from(ALPHABET))
    if kind == "char":
        return written(low), folded(lambda char: char == low, any_case)
    high = draw(st.sampled_from([char for char in ALPHABET if char >= low]))
    return f"{written(low)}-{written(high)}", folded(between(low, high), any_case)


@st.composite
def classes(draw: st.DrawFn, any_case: bool, depth: int = 2) -> tuple[str, Test]:
    parts = draw(st.lists(group_parts(any_case), min_size=1, max_size=3))
    tests = [test for _, test in parts]
    text = "".join(part for part, _ in parts)

    def positive(char: str) -> bool:
        return any(test(char) for test in tests)

    negative = draw(st.booleans())
    group = other_than(positive) if negative else positive
    text = "^" * negative + text
    if depth and draw(st.integers(0, 3)) == 0:
        inner, without = draw(classes(any_case, depth - 1))
        return f"[{text}-{inner}]", lambda char: group(char) and not without(char)
    return f"[{text}]", group


# pieces


def one(text: str, test: Test) -> ExpressionCase:
    return ExpressionCase(
        text, lambda whole, at: {at + 1} if at < len(whole) and test(whole[at]) else set()
    )


def anchor(char: str, lines: bool) -> ExpressionCase:
    def start(text: str, at: int) -> bool:
        return at == 0 or (lines and at < len(text) and text[at - 1] == "\n")

    def end(text: str, at: int) -> bool:
        if lines and at < len(text):
            return text[at] == "\n"
        return at == len(text) and not (lines and text.endswith("\n"))

    here = start if char == "^" else end
    return ExpressionCase(char, lambda text, at: {at} if here(text, at) else set(), empty=True)


def sequence(parts: list[ExpressionCase]) -> ExpressionCase:
    def ends(text: str, at: int) -> set[int]:
        places = {at}
        for part in parts:
            places = {end for place in places for end in part.ends(text, place)}
        return places

    return ExpressionCase(
        "".join(part.text for part in parts), ends, all(part.empty for part in parts)
    )


def choice(parts: list[ExpressionCase], parentheses: str) -> ExpressionCase:
    return ExpressionCase(
        f"{parentheses}{'|'.join(part.text for part in parts)})",
        lambda text, at: {end for part in parts for end in part.ends(text, at)},
        any(part.empty for part in parts),
    )


def repeat(part: ExpressionCase, least: int, most: int | None, text: str) -> ExpressionCase:
    def ends(whole: str, at: int) -> set[int]:
        places, found = {at}, {at} if least == 0 else set[int]()
        for count in range(1, least + len(whole) + 2 if most is None else most + 1):
            places = {end for place in places for end in part.ends(whole, place)}
            found |= places if count >= least else set()
        return found

    return ExpressionCase(part.text + text, ends, part.empty or least == 0)


QUANTITIES = [
    (0, 1, "?"),
    (0, None, "*"),
    (1, None, "+"),
    (2, 2, "{2}"),
    (0, 0, "{0}"),
    (1, None, "{1,}"),
    (0, 2, "{0,2}"),
    (1, 3, "{01,3}"),
]


@st.composite
def atoms(draw: st.DrawFn, flags: str) -> ExpressionCase:
    any_case = "i" in flags
    kind = draw(st.sampled_from(["char", "char", "class", "escape", "dot", "anchor"]))
    if kind == "char":
        char = draw(st.sampled_from(ALPHABET))
        # White space that flag x would drop is escaped; other characters stand as they are.
        text = rf"\{char}" if char in ".-" else {"\n": "\\n", "\r": "\\r"}.get(char, char)
        text = "[ ]" if char == " " else text
        return one(text, folded(lambda other: other == char, any_case))
    if kind == "class":
        return one(*draw(classes(any_case)))
    if kind == "escape":
        return one(*draw(st.sampled_from(sorted(MULTIPLE.items()))))
    if kind == "dot":
        return one(".", lambda char: "s" in flags or char not in "\n\r")
    return anchor(draw(st.sampled_from("^$")), "m" in flags)


@st.composite
def pieces(draw: st.DrawFn, flags: str, depth: int) -> ExpressionCase:
    if depth and draw(st.integers(0, 2)) == 0:
        part = choice(
            draw(st.lists(branches(flags, depth - 1), min_size=1, max_size=3)),
            draw(st.sampled_from(["(", "(?:"])),
        )
    else:
        part = draw(atoms(flags))
    if draw(st.integers(0, 2)):
        return part
    least, most, text = draw(st.sampled_from(QUANTITIES))
    return repeat(part, least, most, text + draw(st.sampled_from(["", "?"])))


def branches(flags: str, depth: int) -> st.SearchStrategy[ExpressionCase]:
    return st.lists(pieces(flags, depth), max_size=3).map(sequence)


@st.composite
def cases(draw: st.DrawFn, flags: str, depth: int = 2) -> ExpressionCase:
    """A whole pattern; with flag x white space stands between its pieces."""
    parts = draw(st.lists(branches(flags, depth), min_size=1, max_size=2))
    whole = choice(parts, "(")
    text = whole.text[1:-1]
    if "x" in flags:
        text = draw(st.sampled_from([" ", "\n", "\t \r"])) + text + " "
    return ExpressionCase(text, whole.ends, whole.empty)


def texts(largest: int = 5) -> st.SearchStrategy[str]:
    return st.text(ALPHABET, max_size=largest)
