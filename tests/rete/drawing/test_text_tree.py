"""A network as text reads like its rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from rete.drawing.names import plain
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.text_tree import as_text, summary, tree_lines
from tests.rete.drawing.diagrams import COLD, HOT, SUBCLASS, drawn, labels


def test_a_network_reads_like_its_rules() -> None:
    assert as_text(drawn(SUBCLASS, HOT)) == (
        "rules.rif: 2 rules, 4 patterns, 2 joins, 1 filter, no nodes shared by several rules\n"
        "a streamed fact holds for 5 s\n"
        "\n"
        "rule 1 ex:subclass derives ?thing[rdf:type -> ?super]\n"
        "├─ #1 ?class[rdfs:subClassOf -> ?super]\n"
        "├─ #3 join on ?class with #2 ?thing[rdf:type -> ?class] (also given by rule 1)\n"
        "└─ its facts may match #2 (recursive)\n"
        "\n"
        "rule 2 derives ex:hot(?sensor)\n"
        "├─ #5 ?obs[ex:by -> ?sensor]\n"
        "└─ #8 join on ?obs with\n"
        "   ├─ #6 ?obs[ex:value -> ?value]\n"
        "   └─ #7 keep if ?value > 30 [pred:numeric-greater-than]"
    )


def test_what_is_shared_is_said_and_not_shown_twice() -> None:
    text = as_text(drawn(HOT, COLD))
    assert "2 nodes shared by several rules" in text
    assert "#1 ?obs[ex:by -> ?sensor] (shared by rules 1, 2)" in text
    assert text.count("#2 ?obs[ex:value -> ?value] (shared by rules 1, 2)") == 2
    assert "?s[ex:by" not in text


def test_a_rule_that_meets_names_of_another_says_which_is_which() -> None:
    text = as_text(drawn(HOT, COLD))
    assert "keep if ?v < 5 [pred:numeric-less-than] (?obs as ?o, ?value as ?v)" in text
    assert "join on ?o (#1: ?obs as ?o, ?sensor as ?s) with" in text


def test_a_pattern_joined_with_itself_says_both_names() -> None:
    rule = "Forall ?a ?b ?c (?a[ex:twin -> ?b] :- And(?a[ex:p -> ?c] ?b[ex:p -> ?c]))"
    made = drawn(rule)
    (join,) = (node for node in made.nodes if node.kind == "join")
    assert join.sources == (1, 1)
    assert join.renamings == ["#1: ?a as ?b"]
    assert "with #1 ?a[ex:p -> ?c] (again)" in as_text(made)


def test_a_rule_of_two_bodies_is_one_conclusion() -> None:
    made = drawn("Forall ?x (ex:p(?x) :- Or(ex:q(?x) ex:r(?x)))")
    assert len(made.rules) == 1
    assert len(made.rules[0].sources) == 2
    assert "├─ if\n│  └─ #1 ex:q(?x)" in as_text(made)
    assert "└─ or if\n   └─ #2 ex:r(?x)" in as_text(made)


def test_tests_and_values_are_written_with_their_signs_and_names() -> None:
    made = drawn(
        """Forall ?x ?y ?z (?x[ex:q -> External(func:numeric-add(?y 1))] :- And(
             ?x[ex:p -> ?y] ?x[ex:r -> ?z] ?y = ?z External(pred:starts-with("a b" ?z))))"""
    )
    assert labels(made, "filter") == ['pred:starts-with("a b" ?z)', "?y = ?z"]
    assert labels(made, "function") == ["?1 := ?y + 1"]
    assert [node.builtin for node in made.nodes if node.kind == "function"] == ["func:numeric-add"]


def test_a_predicate_that_is_solved_names_what_it_finds() -> None:
    made = drawn("Forall ?x ?t (ex:q(?x) :- And(ex:p(?t) External(pred:iri-string(?x ?t))))")
    assert labels(made, "solve") == ["each ?x: pred:iri-string(?x ?t)"]
    assert "└─ #2 for each ?x: pred:iri-string(?x ?t)" in as_text(made)
    assert "1 function" in summary(made)
    assert "finds each value" in as_svg(made)


def test_a_variable_that_nobody_needs_is_free() -> None:
    made = drawn("Forall ?x ?y (ex:q(?x) :- ?x[ex:p -> ?y])")
    pieces = [piece for word in made.nodes[0].label[0] for piece in word]
    assert {piece.text: piece.ink for piece in pieces if piece.text.startswith("?")} == {
        "?x": "bound",
        "?y": "free",
    }


def test_a_pattern_that_nothing_can_match_says_so() -> None:
    text = as_text(drawn("Forall ?x (ex:q(?x) :- And(ex:p(?x) ex:r(?x)))", "ex:r(1)"))
    assert "ex:p(?x) (nothing gives such facts)" in text
    assert "1 fact among the rules" in text
    assert text.count("nothing gives") == 1


def test_recursion_is_told_from_what_only_feeds_another_rule() -> None:
    made = drawn(
        "Forall ?x ?y ?z (?x[ex:p -> ?z] :- And(?x[ex:p -> ?y] ?y[ex:next -> ?z]))",
        "Forall ?x (ex:q(?x) :- ?x[ex:p -> ex:end])",
    )
    derived = {
        (made.node(e.source).rules[0], " ".join(map(plain, made.node(e.target).label)), e.recursive)
        for e in made.edges
        if e.derived
    }
    assert derived == {(1, "?x[ex:p -> ?y]", True), (1, "?x[ex:p -> ex:end]", False)}
    assert [rule.recursive for rule in made.rules] == [True, False]


def test_two_rules_that_feed_each_other_are_recursive() -> None:
    made = drawn(
        "Forall ?x (ex:p(?x) :- ex:q(?x))",
        "Forall ?x (ex:q(?x) :- ex:p(?x))",
    )
    assert [rule.recursive for rule in made.rules] == [True, True]


def test_a_frame_is_written_like_a_frame() -> None:
    made = drawn("Forall ?x (ex:p(?x) :- And(?x[] ?x[ex:q -> ?x]))")
    assert "?x[]" in labels(made, "pattern")


def test_each_node_is_drawn_beneath_that_above_it() -> None:
    below = {"a": ["b", "c"], "b": ["d"]}
    lines = tree_lines(["a", "e"], lambda node, level: (f"{node} {level}", below.get(node, ())))
    assert list(lines) == ["├─ a 1", "│  ├─ b 2", "│  │  └─ d 3", "│  └─ c 2", "└─ e 1"]


def test_a_tree_may_be_deeper_than_a_recursion() -> None:
    def show(node: int, level: int) -> tuple[str, Iterator[int]]:
        return str(level), iter([node + 1] if node < 5000 else [])

    last = [line for line, _ in zip(tree_lines([0], show), count(), strict=False)][-1]
    assert last.endswith("└─ 5001")


AGGREGATE = """
Forall ?s ?m (ex:mean(?s ?m) :- ?m = avg last 3{ ?v ?t [?s] | At ?t (?s[ex:reads -> ?v]) })
"""
SINCE = "Forall ?s ?t (ex:since(?s ?t) :- At ?t (ex:hot(?s)))"
WAS = "Forall ?s ?f ?u (ex:was(?s ?f ?u) :- Ended ?f ?u (ex:hot(?s)))"
TOLD = """
Forall ?s (ex:told(?s) :- And(ex:hot(?s) Naf(DiamondMinus [1 s, 9 s] (ex:told(?s)))))
"""


def test_aggregates_and_event_times_read_like_the_rules() -> None:
    text = as_text(drawn(HOT, AGGREGATE, SINCE, WAS))
    assert "let ?m := avg last 3 of ?v by ?s" in text
    assert "At ?y2 since when that holds" in text
    assert "Ended ?y2 ?y3 from when until when that held" in text
    lines = [line for line in text.splitlines() if "ex:reads" in line]
    assert not any("nothing gives" in line for line in lines), "elements assert them"
    assert text.count("derives ex:hot(?sensor)\n") == 1
    assert text.count("   ex:hot(?sensor)\n") == 0, "what is derived apart is one conclusion"


def test_where_rules_read_earlier_answers_is_said() -> None:
    text = as_text(drawn(HOT, TOLD))
    assert "keep if time has come to it" in text
    assert "keep if time has begun" in text


def test_pictures_have_the_same_words() -> None:
    picture = as_svg(drawn(HOT, AGGREGATE, SINCE, WAS))
    for words in ("?m", "avg last 3", "since when that holds", "from when until when that held"):
        assert words in picture
