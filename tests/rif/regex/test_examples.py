"""The examples of the recommendations, and what else they say of matches and replacements."""

from __future__ import annotations

import pytest

from rif.regex import BadPattern, BadReplacement
from tests.rif.regex.operations import matches, replace


@pytest.mark.parametrize(
    ("text", "pattern", "flags", "expected"),
    [
        ("abracadabra", "bra", "", True),
        ("abracadabra", "^a.*a$", "", True),
        ("abracadabra", "^bra", "", False),
        ("helloworld", "hello world", "x", True),
        ("helloworld", "hello[ ]world", "x", False),
        ("hello world", r"hello\ sworld", "x", True),
        ("hello world", "hello world", "x", False),
        ("hello", r"\p{ I s B a s i c L a t i n }+", "x", True),
        ("[a", r" \ [ a ", "x", True),
        ("abcd", ".*", "q", False),
        ("Mr. B. Obama", "B. OBAMA", "iq", True),
        ("\u212a", "[A-Z]", "i", True),
        ("a", "[A-Z-[IO]]", "i", True),
        ("i", "[A-Z-[IO]]", "i", False),
        ("q", "[^Q]", "i", False),
        ("m", r"\p{Lu}", "i", False),
        ("M", r"[\p{Ll}]", "i", False),
        ("hello\nworld", "hello.*world", "", False),
        ("hello\rworld", "hello.*world", "", False),
        ("hello\nworld", "hello.*world", "s", True),
        ("a\nb", "^b$", "", False),
        ("a\nb", "^b$", "m", True),
        ("abcd\ndefg\n", "^$", "m", False),
        ("a\n\n", "^$", "m", True),
        ("\n", "^$", "m", True),
        ("a\n", "\n$", "m", False),
        ("a\n", "\n$", "", True),
        ("\n", "a|^", "m", True),
        ("", "", "", True),
        ("x", "", "", True),
        ("", "()|^$", "", True),
        ("x", "a{0}x", "", True),
        ("", r"[\s-[\s]]", "", False),
        (" ", r"[\s\S-[\s]]", "", False),
        ("alpha", "alp^?ha", "", True),
        ("alpha", "alp${2,4}ha", "", False),
        ("\U0001f600", r"^\P{L}$", "", True),
        ("\U0001f600", "^[\U0001f5ff-\U0001f601]$", "", True),
        ("-", "[a-k-z]", "", True),
        ("m", "[a-k-z]", "", False),
        ("^", "[a^]", "", True),
        ("^", "[^^]", "", False),
        ("-", "[a-]", "", True),
        ("-", "[-]", "", True),
        ("-", "[--]", "", True),
        ("-", "[a--[a]]", "", True),
        ("a", "[a--[a]]", "", False),
        ("-", "[---[a]]", "", True),
        ("-", r"[\d-a]", "", True),
        ("b", r"[\--b]", "", True),
        ("\x07", r"\cG", "", False),
    ],
)
def test_an_example_matches_or_does_not(
    text: str, pattern: str, flags: str, *, expected: bool
) -> None:
    assert matches(text, pattern, flags) == expected


@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "flags", "expected"),
    [
        ("abracadabra", "bra", "*", "", "a*cada*"),
        ("abracadabra", "a.*a", "*", "", "*"),
        ("abracadabra", "a.*?a", "*", "", "*c*bra"),
        ("abracadabra", "a", "", "", "brcdbr"),
        ("abracadabra", "a(.)", "a$1$1", "", "abbraccaddabbra"),
        ("AAAA", "A+", "b", "", "b"),
        ("AAAA", "A+?", "b", "", "bbbb"),
        ("darted", "^(.*?)d(.*)$", "$1c$2", "", "carted"),
        ("abcd", "(ab)|(a)", "[1=$1][2=$2]", "", "[1=ab][2=]cd"),
        (r"a\b\c", "\\", "\\\\", "q", r"a\\b\\c"),
        ("a/b/c", "/", "$", "q", "a$b$c"),
        ("abc", "(a)(b)(c)", r"$3$0\$\\$2", "", r"cabc$\b"),
        ("abcde", "(a)(b)(c)(d)(e)", "$23", "", "b3"),
        ("abc", "(a)", "<$2>", "", "<>bc"),
        ("abc", "(a)", "<$0123>", "", "<a23>bc"),
        ("abc", "a", "$10", "", "0bc"),
        ("abc", "(?:a)(b)", "$1", "", "bc"),
        ("abc", "(x)?(b){0}(c)", "<$3$1$2>", "", "ab<c>"),
        ("a\nb\n", "^.", ">$0", "m", ">a\n>b\n"),
        ("é_1\nb\n", "(.)$", "$1<", "m", "é_1<\nb<\n"),
        ("\U0001f600é", "é", "$0\U0001f601", "", "\U0001f600é\U0001f601"),
    ],
)
def test_an_example_is_replaced(
    text: str, pattern: str, replacement: str, flags: str, expected: str
) -> None:
    assert replace(text, pattern, replacement, flags) == expected


def test_a_number_takes_digits_as_long_as_there_are_groups() -> None:
    pattern = "(a)" * 12
    assert replace("a" * 12, pattern, "$12.$13.$120.$012") == "a.a3.a0.a"
    assert replace("a", "(a)", "$" + "1" * 5_000) == "a" + "1" * 4_999


@pytest.mark.parametrize(("replacement", "at"), [("$", 0), ("a$b", 1), ("\\", 0), (r"a\n", 1)])
def test_a_stray_dollar_or_backslash_is_no_replacement(replacement: str, at: int) -> None:
    with pytest.raises(BadReplacement) as caught:
        replace("a", "a", replacement)
    assert caught.value.position == at


@pytest.mark.parametrize(
    ("pattern", "flags"), [("", ""), (".*?", ""), ("a|", ""), ("^", "m"), ("$", ""), ("", "q")]
)
def test_what_matches_the_empty_text_is_not_replaced(pattern: str, flags: str) -> None:
    with pytest.raises(BadPattern):
        replace("abracadabra", pattern, "x", flags)
