"""Property paths as options have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.property_paths import BadPath, path_of, path_option, read_path, shown_path, steps_of
from rete.drawing.names import Names

PREFIXES = {"ex": "urn:ex:", "sosa": "http://www.w3.org/ns/sosa/", "": "urn:empty:"}


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("ex:at", ("urn:ex:at",)),
        ("<urn:ex:at>", ("urn:ex:at",)),
        ("urn:ex:at", ("urn:ex:at",)),
        ("http://a.org/b/c", ("http://a.org/b/c",)),
        ("http://a.org/b?c=(d)*", ("http://a.org/b?c=(d)*",)),
        ("<http://a.org/b/c>", ("http://a.org/b/c",)),
        ("sosa:during/ex:begin", ("http://www.w3.org/ns/sosa/during", "urn:ex:begin")),
        ("<http://a.org/b>/<http://a.org/c>", ("http://a.org/b", "http://a.org/c")),
        ("ex:a/<http://a.org/c>", ("urn:ex:a", "http://a.org/c")),
        ("<http://a.org/c>/ex:a", ("http://a.org/c", "urn:ex:a")),
        ("ex:a/ex:b/ex:c", ("urn:ex:a", "urn:ex:b", "urn:ex:c")),
        ("ex:a/ex:a", ("urn:ex:a", "urn:ex:a")),
        (":a/:b", ("urn:empty:a", "urn:empty:b")),
        ("ex:a/urn:b", ("urn:ex:a", "urn:b")),
        ("at", ("at",)),
        ("^ex:a/ex:b", ("^urn:ex:a", "urn:ex:b")),
        ("ex:a/^ex:b/<urn:c>", ("urn:ex:a", "^urn:ex:b", "urn:c")),
        ("^<urn:a>/^<http://a.org/b/c>/ex:b", ("^urn:a", "^http://a.org/b/c", "urn:ex:b")),
        ("^urn:a/ex:b", ("^urn:a", "urn:ex:b")),
    ],
)
def test_a_sequence_of_iris_is_a_path(text: str, steps: tuple[str, ...]) -> None:
    assert steps_of(read_path(text, PREFIXES)) == steps


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ex:a|ex:b", "| is no part of a path here: only / between IRIs and ^ before one are"),
        ("ex:a/^ex:b", "a path that ends with ^ leads to no time"),
        ("<urn:a>/^<urn:b>", "ends with ^"),
        ("^<urn:a>", "ends with ^"),
        ("^urn:a", "ends with ^"),
        ("^^ex:a/ex:b", "^ is no part"),
        ("ex:a^ex:b", "^ is no part"),
        ("^(ex:a/ex:b)/ex:c", "( is no part"),
        ("^/ex:a", "a step is missing"),
        ("ex:a/^", "a step is missing"),
        ("^a/ex:b", "a is no IRI"),
        ("<urn:a>|<urn:b>", "/ is missing behind <urn:a>"),
        ("ex:a*", "* is no part"),
        ("<urn:a>+", "/ is missing behind <urn:a>"),
        ("(<urn:a>/<urn:b>)", "( is no part"),
        ("ex:a?/ex:b", "? is no part"),
        ("!<urn:a>", "! is no part"),
        ("ex:a/", "a step is missing"),
        ("ex:a//ex:b", "a step is missing"),
        ("<urn:a>/", "a step is missing"),
        ("/<urn:a>", "a step is missing"),
        ("<>", "a step is missing"),
        ("ex:a/b", "b is no IRI: write it with a prefix, or in full in < >"),
        ("ex:a/http://a.org/b", "http: is no IRI"),
        ("<urn:a><urn:b>", "/ is missing behind <urn:a>"),
        ("<urn:a", "> is missing"),
        ("ex:a/<urn:b", "> is missing"),
    ],
)
def test_other_paths_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadPath) as caught:
        read_path(text, PREFIXES)
    assert why in str(caught.value)


@given(text=st.text("ab:/<>^|*?e x", max_size=9))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        steps = steps_of(read_path(text, {"ex": "urn:ex:", "a": "urn:a:"}))
    except BadPath:
        return
    assert steps
    assert not any(">/<" in step or ">/^<" in step for step in steps)


IRIS = ["urn:a", "http://a.org/b/c", "urn:ex:d"]


@given(
    leads=st.lists(st.sampled_from([*IRIS, *(f"^{iri}" for iri in IRIS)])),
    last=st.sampled_from(IRIS),
)
def test_steps_are_a_path_and_a_path_is_its_steps(leads: list[str], last: str) -> None:
    steps = [*leads, last]
    assert steps_of(path_of(steps)) == tuple(steps)
    assert read_path(shown_path(steps), {}) == path_of(steps)


def test_an_option_has_a_path_as_a_shell_reads_it() -> None:
    names = Names(prefixes=(("ex", "urn:ex:"),))
    assert path_option(["urn:ex:a"], names) == "ex:a"
    assert path_option(["urn:ex:a", "urn:ex:b"], names) == "ex:a/ex:b"
    assert path_option(["urn:ex:a", "urn:b"], names) == "'ex:a/<urn:b>'"
    assert path_option(["^urn:ex:a", "urn:ex:b"], names) == "'^ex:a/ex:b'"
