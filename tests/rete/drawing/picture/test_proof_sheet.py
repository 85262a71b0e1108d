"""Trees of boxes, drawn beneath each other."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from rete.drawing.picture.proof_sheet import ProofSheet, proof_box
from rete.drawing.picture.svg import colour

SVG = "{http://www.w3.org/2000/svg}"


def drawn() -> ET.Element:
    sheet = ProofSheet(["hot(a) holds", "since 3"])
    data = proof_box("pattern", ["temp(a, 40)"], "temp(a, 40)", ["asserted at 3"], ends=True)
    rule = proof_box("rule", ["hot(a)"], "hot(a)", rule=2, title="rule 2 hot")
    sheet.add_tree("because of 1 fact", {0: rule, 1: data}, [(1, 0)])
    sheet.add_note("ex: is short for <http://example.org/>")
    return ET.fromstring(sheet.svg())  # noqa: S314 - our own


def test_lines_trees_and_notes_stand_beneath_each_other() -> None:
    texts = [each for each in drawn().iter(f"{SVG}text") if each.get("x") == "24"]
    assert [each.text for each in texts] == [
        *("hot(a) holds", "since 3", "because of 1 fact"),
        "ex: is short for <http://example.org/>",
    ]
    heights = [float(each.get("y", "")) for each in texts]
    assert heights == sorted(heights)


def test_an_edge_has_the_colour_of_the_rule_it_leads_to() -> None:
    (edge,) = (each for each in drawn().iter(f"{SVG}path") if each.get("class") == "line")
    assert edge.get("stroke") == colour(2)


def test_what_is_used_stands_left_of_what_follows() -> None:
    boxes = {each.get("class"): each for each in drawn().iter(f"{SVG}rect") if each.get("stroke")}
    data, rule = boxes["pattern"], boxes["rule"]
    assert float(data.get("x", "")) + float(data.get("width", "")) < float(rule.get("x", ""))
    assert float(data.get("stroke-width", "")) > float(rule.get("stroke-width", ""))
