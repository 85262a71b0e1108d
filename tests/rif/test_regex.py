"""Regular expressions: the definition, another implementation, the examples, and hostile ones."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from itertools import pairwise

import pytest
from elementpath.regex import translate_pattern, unicode_block, unicode_category
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rif.regex import (
    BadFlags,
    BadPattern,
    BadReplacement,
    Inexpressible,
    RegexFault,
    compile_pattern,
)
from rif.regex.case import with_variants
from rif.regex.parser import MAX_LENGTH
from rif.regex.properties import block, category, multiple
from rif.regex.ranges import LAST, Ranges, complement, intersect, subtract, union
from rif.regex.source import Source
from tests.rif.regex_cases import cases, search, texts

FLAGS = st.lists(st.sampled_from("smix"), unique=True).map("".join)


def matches(text: str, pattern: str, flags: str = "") -> bool:
    return compile_pattern(pattern, flags).search(text)


def replace(text: str, pattern: str, replacement: str, flags: str = "") -> str:
    return compile_pattern(pattern, flags).replace(text, replacement)


def fault(pattern: str, flags: str = "") -> tuple[type[RegexFault], int]:
    with pytest.raises(RegexFault) as caught:
        compile_pattern(pattern, flags)
    assert 0 <= caught.value.position <= max(len(pattern), len(flags))
    return type(caught.value), caught.value.position


# agreement with the definition


@given(data=st.data(), flags=FLAGS)
def test_a_search_finds_what_the_definition_has_match(data: st.DataObject, flags: str) -> None:
    case = data.draw(cases(flags))
    pattern = compile_pattern(case.text, flags)
    for text in data.draw(st.lists(texts(), min_size=1, max_size=8)):
        assert pattern.search(text) == search(case, text)


@given(data=st.data(), text=texts())
def test_anchors_of_lines_agree_with_the_definition_where_the_text_ends_with_a_newline(
    data: st.DataObject, text: str
) -> None:
    case = data.draw(cases("m"))
    assert matches(text + "\n", case.text, "m") == search(case, text + "\n")


@given(data=st.data(), flags=st.sampled_from(["", "m", "im"]), text=texts())
def test_replacing_a_match_by_itself_changes_nothing(
    data: st.DataObject, flags: str, text: str
) -> None:
    case = data.draw(cases(flags))
    assume(not search(case, ""))
    assert replace(text, case.text, "$0", flags) == text


@given(text=texts(), pattern=texts(3), flags=st.sampled_from(["q", "qsmx"]))
def test_flag_q_takes_every_character_as_itself(text: str, pattern: str, flags: str) -> None:
    assert matches(text, pattern, flags) == (pattern in text)
    if pattern:
        assert replace(text, pattern, r"\$1$", flags) == text.replace(pattern, r"\$1$")


# agreement with another implementation

# What elementpath 5.1 does otherwise than the text says, so that it is kept out of the comparison:
# - \d \w \s outside of brackets are those of Python's re, whose \s has more (XSD G.4.2.5);
# - several negative escapes in a class, or one in a negated class, are combined wrongly: [\D\S];
# - \i and \c end with the first plane (NameStartChar goes up to U+EFFFF);
# - flag i is re.IGNORECASE, which has other variants, and reaches \p within brackets;
# - with flag m, $ matches after the newline that ends the text (F&O 5.6.2);
# - flag x is re.VERBOSE, for which # begins a comment.
PLAIN_ATOMS = ["a", "b", "1", "\\n", "\\-", ".", "[ab]", "[^a]", "[a-z-[b]]", "\\p{Lu}", "\\P{L}"]
PLAIN_ATOMS += [
    "[\\d_]",
    "[\\w]",
    "[^\\s]",
    "[\\s\\S]",
    "^",
    "$",
    "[A-]",
    "[-a]",
    "\\p{IsBasicLatin}",
]
QUANTIFIERS = ["", "", "?", "*", "+", "{2}", "{1,2}", "{1,}", "??", "*?", "+?"]


@st.composite
def plain(draw: st.DrawFn, depth: int = 2) -> tuple[str, bool]:
    """A pattern of what the two have in common, and whether it can match the empty text.

    What can is not repeated: which match is then chosen is left to each [XPath-Functions 5.6.1].
    """
    branches, empties = [], []
    for _ in range(draw(st.integers(1, 2))):
        branch, empty = "", True
        for _ in range(draw(st.integers(1, 3))):
            if depth and draw(st.integers(0, 2)) == 0:
                body, can = draw(plain(depth - 1))
                atom = f"{draw(st.sampled_from(['(', '(?:']))}{body})"
            else:
                atom = draw(st.sampled_from(PLAIN_ATOMS))
                can = atom in "^$"
            quantifier = "" if can else draw(st.sampled_from(QUANTIFIERS))
            branch += atom + quantifier
            empty &= can or quantifier[:1] in {"?", "*"}
        branches.append(branch)
        empties.append(empty)
    return "|".join(branches), any(empties)


PLAIN_TEXTS = st.text("abA1_ \n-é", max_size=8)


@given(pattern=plain(), text=PLAIN_TEXTS, flags=st.sampled_from(["", "s", "m"]))
def test_a_search_finds_what_elementpath_finds(
    pattern: tuple[str, bool], text: str, flags: str
) -> None:
    assume(not (flags == "m" and text.endswith("\n")))
    kind = {"": re.NOFLAG, "s": re.DOTALL, "m": re.MULTILINE}[flags]
    expected = re.search(translate_pattern(pattern[0], kind), text, kind)
    assert matches(text, pattern[0], flags) == (expected is not None)


@given(
    pattern=plain(),
    text=PLAIN_TEXTS,
    parts=st.lists(st.sampled_from(["x", "", 0, 1, 2, 3]), max_size=4),
)
def test_what_replaces_a_match_is_what_python_makes_of_elementpaths_pattern(
    pattern: tuple[str, bool], text: str, parts: list[str | int]
) -> None:
    other = re.compile(translate_pattern(pattern[0]))
    assume(not other.search(""))
    replacement = "".join(f"${part}" if isinstance(part, int) else part for part in parts)

    def made(found: re.Match[str]) -> str:
        return "".join(
            part if isinstance(part, str) else found[part] or "" if part <= other.groups else ""
            for part in parts
        )

    assert replace(text, pattern[0], replacement) == other.sub(made, text)


# sets of characters


def codes(ranges: Ranges) -> set[int]:
    return {code for low, high in ranges for code in range(low, high + 1)}


def has(ranges: Ranges, code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


def small_sets() -> st.SearchStrategy[list[tuple[int, int]]]:
    lows = st.integers(0, 12) | st.integers(LAST - 12, LAST)
    pairs = st.tuples(lows, st.integers(0, 5))
    return st.lists(pairs.map(lambda pair: (pair[0], min(pair[0] + pair[1], LAST))))


@given(one=small_sets(), two=small_sets())
def test_ranges_are_sets(one: list[tuple[int, int]], two: list[tuple[int, int]]) -> None:
    left, right = union(one), union(two)
    assert codes(left) == {code for low, high in one for code in range(low, high + 1)}
    assert all(a[1] + 1 < b[0] for a, b in pairwise(left))
    assert codes(subtract(left, right)) == codes(left) - codes(right)
    assert codes(intersect(left, right)) == codes(left) & codes(right)
    assert complement(complement(left)) == left
    assert not codes(intersect(complement(left), left))


CATEGORIES = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm Sc Sk"


@pytest.mark.parametrize("name", [*CATEGORIES.split(), "So", "C", "Cc", "Cf", "Co", "Cn"])
def test_categories_are_those_of_elementpath(name: str) -> None:
    points = unicode_category(name).codepoints
    expected = union((p, p) if isinstance(p, int) else (p[0], p[1] - 1) for p in points)
    assert category(name) == expected


def test_what_is_not_scanned_is_of_the_category_it_is_taken_for() -> None:
    for code in [*range(0x40000, LAST, 997), 0xE1000, 0xEFFFF, 0xFFFFD, 0xFFFFE, LAST - 2, LAST]:
        assert has(category(unicodedata.category(chr(code))), code)


def test_blocks_have_the_names_of_xsd_and_the_ranges_of_unicode() -> None:
    assert block("IsBasicLatin") == ((0, 0x7F),)
    assert block("IsLatin-1Supplement") == ((0x80, 0xFF),)
    assert block("IsEmoticons") == ((0x1F600, 0x1F64F),)
    assert len(codes(block("IsHangulJamo"))) == len(unicode_block("HangulJamo")) == 256
    for name in ("IsBasic Latin", "Isbasiclatin", "IsNowhere", "BasicLatin", "Is"):
        with pytest.raises(KeyError):
            block(name)


@pytest.mark.parametrize("name", ["Cs", "LC", "lu", "", "X", "Lul"])
def test_there_are_no_other_categories(name: str) -> None:
    with pytest.raises(KeyError):
        category(name)


def test_names_are_those_of_xml_beyond_the_first_plane() -> None:
    initial, name = multiple("i") or (), multiple("c") or ()
    assert not subtract(initial, name)
    for code in (0x3A, 0x5F, 0x10000, 0xEFFFF):
        assert has(initial, code)
    for code in (0x2D, 0x2E, 0x30, 0xB7, 0x300, 0x36F, 0x203F, 0x2040):
        assert has(subtract(name, initial), code)
    for code in (0xD7, 0xF7, 0x37E, 0x2000, 0x3000, 0xFFFE, 0xF0000):
        assert not has(name, code)


def test_variants_have_the_same_lower_or_the_same_upper_case() -> None:
    assert {chr(code) for code in codes(with_variants(((0x6B, 0x6B),)))} == {"k", "K", "\u212a"}
    assert {chr(code) for code in codes(with_variants(((0x3C2, 0x3C2),)))} == set("ςσΣ")
    assert {chr(code) for code in codes(with_variants(((0xDF, 0xDF),)))} == set("ßẞ")
    assert with_variants(((0x31, 0x31),)) == ((0x31, 0x31),)


# the examples of the recommendations


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


# faults


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("a(b", 1),
        ("ab)", 2),
        ("a[b", 1),
        ("[", 0),
        ("[a-", 0),
        ("[]", 0),
        ("[^]", 0),
        ("[^-[a]]", 0),
        ("[a-[b]", 0),
        ("[a-[b]c]", 6),
        ("[a[b]]", 2),
        ("[b-a]", 1),
        ("[a--]", 1),
        ("[--z]", 1),
        (r"[a-\d]", 1),
        (r"[\1]", 1),
        ("a]", 1),
        ("a}", 1),
        ("*", 0),
        ("a**", 2),
        ("a|+", 2),
        ("a???", 3),
        ("a{", 1),
        ("a{,2}", 1),
        ("a{2,1}", 1),
        ("a{1000,0999}", 1),
        ("a{x}", 1),
        ("(?=a)", 0),
        ("(?i)a", 0),
        ("(?", 0),
        ("\\", 0),
        (r"a\b", 1),
        (r"\0", 0),
        (r"\x41", 0),
        (r"\p", 0),
        (r"\p{", 0),
        (r"\pL", 0),
        (r"a\p{Foo}", 1),
        (r"\p{IsBadBlockName}", 0),
        (r"\p{Cs}", 0),
        (r"(a)\2", 3),
        (r"(a\1)", 2),
        (r"a\1", 1),
        (r"(a)\1(", 5),
    ],
)
def test_a_wrong_pattern_is_told_with_its_place(pattern: str, position: int) -> None:
    assert fault(pattern) == (BadPattern, position)


def test_the_place_of_a_fault_counts_the_white_space_that_is_dropped() -> None:
    assert fault(" a ( b ", "x") == (BadPattern, 3)
    assert fault("a b \\ q", "x") == (BadPattern, 4)
    assert fault(" (", "x") == (BadPattern, 1)


def test_a_flag_that_there_is_not_is_told() -> None:
    assert fault("a", "sg") == (BadFlags, 1)
    assert matches("A", "a", "iii")


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        (r"(a)\1", 3),
        (r"((((((((((a))))))))))\10", 21),
        (r"(a)\12", 3),
        ("ab{1001}", 2),
        ("a{0,1001}", 1),
        ("a{99999999999999999999}", 1),
        ("(?:a{100}){100}", 0),
        ("((a{10}){11}){12}", 0),
    ],
)
def test_what_is_valid_and_beyond_linear_time_is_told_apart(pattern: str, position: int) -> None:
    assert fault(pattern) == (Inexpressible, position)


def test_the_greatest_bounds_are_expressed() -> None:
    assert matches("a" * 1000, "^a{1000}$")
    assert not matches("a" * 999, "^a{1000}$")
    assert matches("ab" * 1000, "^(?:ab){0,1000}$")
    assert matches("x" * 100, r"^\w{1,100}$")


METACHARACTERS = st.text("ab()[]{}?*+|\\^$.-,10pLiIsdw: \n", max_size=12)


@given(pattern=METACHARACTERS, flags=FLAGS)
@example(pattern="[--[a]]", flags="")
@example(pattern="(?:$*)+", flags="m")
def test_any_text_is_compiled_or_refused_for_a_reason_of_ours(pattern: str, flags: str) -> None:
    found = None
    try:
        compile_pattern(pattern, flags).search("ab\n")
    except RegexFault as refused:
        found = refused
    assert found is None or 0 <= found.position <= len(pattern)
    assert found is None or "RE2" not in found.message


# hostile patterns


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
from rif.regex import RegexFault, compile_pattern
for pattern, flags in json.load(sys.stdin):
    try:
        compile_pattern(pattern, flags).search("ab" * 10_000)
    except RegexFault:
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


def test_a_fault_is_told_each_time() -> None:
    assert fault("a(") == fault("a(")
    assert compile_pattern("a") is compile_pattern("a")


def test_a_source_knows_where_its_characters_stood() -> None:
    source = Source(" a[ ]\\ b ", spaced=True)
    assert source.text == "a[ ]\\b"
    assert [source.place(at) for at in range(7)] == [1, 2, 3, 4, 5, 7, 6]
