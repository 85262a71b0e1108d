"""A picture is plain SVG, well formed, in which everything is said and fits."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from r4.language import LANGUAGE
from rete.drawing.diagram import diagram
from rete.drawing.export import as_json
from rete.drawing.names import Piece, names_of, plain
from rete.drawing.picture import svg
from rete.drawing.picture.boxes import node_box, shortened, units, units_of, wrapped
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.picture.scene import Scene
from rete.drawing.text_tree import as_text, summary
from rif.syntax.ast import Document
from rif.syntax.terms import Literal, escape
from tests.rete.drawing.diagrams import (
    COLD,
    HOT,
    SUBCLASS,
    drawn,
    labels,
    network_of,
    parsed,
    random_diagram,
    seeds,
)


def elements(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter())  # noqa: S314 - our own text


def texts(svg: str) -> str:
    return "\n".join(
        "".join(element.itertext()) for element in elements(svg) if element.tag.endswith("text")
    )


@given(seeds)
def test_a_picture_is_plain_svg_of_a_few_elements(seed: int) -> None:
    _, made = random_diagram(seed)
    tags = {element.tag.partition("}")[2] for element in elements(as_svg(made))}
    assert tags <= {"svg", "title", "desc", "style", "rect", "path", "text", "tspan", "g"}


@given(st.text(max_size=30))
@example("]]> <script>alert(1)</script> &amp;")
@example("\x00\x1b[2J\ufffe\ud7ff\U000e0001")
@example("漢字" * 20)
def test_whatever_a_literal_holds_the_picture_is_well_formed(text: str) -> None:
    made = drawn(f'Forall ?x (?x[ex:q -> "{escape(text)}"] :- ?x[ex:p -> ex:o])')
    shown = as_svg(made)
    assert not any("script" in element.tag for element in elements(shown))
    (label,) = made.rules[0].label
    assert plain(label) == f"?x[ex:q -> {made.names.term(str(Literal(text)))}]"
    assert plain(label).isprintable()


def test_every_text_is_in_the_picture() -> None:
    made = drawn(SUBCLASS, HOT, COLD)
    shown = texts(as_svg(made))
    for node in made.nodes:
        for line in node_box(node, made.names).lines:
            assert not isinstance(line, str)
            assert "".join(piece.text for piece in line).strip() in shown
    for text in ("shared by 2", "rule 1 ex:subclass", "pred:numeric-less-than", "#1", "recursive"):
        assert text in shown
    assert summary(made) in shown


@given(seeds)
def test_texts_fit_their_boxes(seed: int) -> None:
    _, made = random_diagram(seed)
    for node in made.nodes:
        found = node_box(node, made.names)
        inner = found.width - 2 * found.side
        # The widest of the usual fonts with a fixed pitch have 0.6022 of their size.
        for line in found.lines:
            assert not isinstance(line, str)
            assert units_of(line) * 12 * 0.6022 + found.indent <= inner
        assert all(units(note) * 9.5 * 0.6022 <= inner for note in found.notes)


@given(seeds)
def test_boxes_do_not_overlap(seed: int) -> None:
    _, made = random_diagram(seed)
    scene = Scene(made)
    spots = [
        (*scene.corner(number), found.width, found.height) for number, found in scene.boxes.items()
    ]
    for i, (x, y, width, height) in enumerate(spots):
        for other_x, other_y, other_width, other_height in spots[:i]:
            assert (
                x + width < other_x
                or other_x + other_width < x
                or y + height < other_y
                or other_y + other_height < y
            )


words = st.lists(st.text(st.characters(exclude_characters=" "), min_size=1), max_size=8)


@given(words, st.integers(12, 50))
def test_lines_are_no_wider_than_asked(found: list[str], most: int) -> None:
    lines = wrapped(tuple((Piece(word),) for word in found), most)
    assert all(units_of(line) <= most for line in lines)
    if all(units(word) <= most - 2 for word in found):
        said = " ".join("".join(piece.text for piece in line).strip(" ") for line in lines)
        assert said == " ".join(found)


@given(st.text(), st.integers(1, 30))
def test_a_shortened_text_keeps_its_ends(text: str, most: int) -> None:
    short = shortened(text, most)
    assert units(short) <= max(most, 1)
    head, mark, tail = short.partition("…")
    if short != text:
        assert mark or "…" in text
        assert text.startswith(head)
        assert text.endswith(tail)


def test_what_goes_back_is_dashed_and_stands_once_a_rule() -> None:
    shown = as_svg(drawn(SUBCLASS, HOT))
    dashed = [e for e in elements(shown) if "stroke-dasharray" in e.attrib]
    legend = 1
    trunk, stem, branch = 1, 1, 1
    assert len(dashed) == trunk + stem + branch + legend


def test_more_rules_than_lanes_share_one() -> None:
    rules = [f"Forall ?x (?x[ex:p -> ex:c{i + 1}] :- ?x[ex:p -> ex:c{i}])" for i in range(40)]
    scene = Scene(drawn(*rules))
    assert scene.lanes == 1
    (way,) = scene.returns()
    assert way.rules == tuple(range(1, 40))
    assert any("also from rule 7" in found.notes for found in scene.boxes.values())


def test_whatever_a_file_is_called_the_picture_is_well_formed() -> None:
    document = parsed(HOT)
    made = diagram(
        network_of(document), names_of(document, LANGUAGE, "<&\x1b\udcff" + "long " * 50)
    )
    (root, *_) = elements(as_svg(made).encode().decode())
    assert float(root.attrib["width"]) < 1500
    json.loads(as_json(made).encode())


def test_documents_with_nothing_to_derive_have_a_picture_too() -> None:
    assert "nothing to derive" in as_svg(drawn("ex:p(1)"))
    assert "nothing to derive" in as_svg(
        diagram(network_of(Document()), names_of(Document(), LANGUAGE))
    )
    assert as_text(drawn("ex:p(1)")).endswith("1 fact among the rules")


def test_a_rule_without_conditions_always_holds() -> None:
    made = drawn("ex:p(1) :- And()")
    assert labels(made, "true") == ["always"]
    ET.fromstring(as_svg(made))  # noqa: S314 - our own text


@pytest.mark.slow
def test_hundreds_of_rules_are_drawn() -> None:
    rules = [
        f"""Forall ?x ?y ?z ?v (?x[ex:d{i} -> ?z] :- And(
              ?x[ex:p{i % 70} -> ?y] ?y[ex:q{i % 90} -> ?z] ?x[ex:d{i * 7 % 300} -> ?v]
              External(pred:numeric-greater-than(?v {i}))))"""
        for i in range(300)
    ]
    made = drawn(*rules)
    assert len(made.rules) == 300
    assert len(elements(as_svg(made))) > len(made.nodes)


def test_what_xml_has_no_character_for_is_shown_as_missing() -> None:
    text = "\0<a\x0b&\ufffe\ud800\t\U0001f600>"
    (found,) = elements(f"<a>{svg.escaped(text)}</a>")
    assert found.text == "\ufffd<a\ufffd&\ufffd\ufffd\t\U0001f600>"
