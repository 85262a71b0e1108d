"""The network: what is shared, in which order it joins, and what it forgets."""

from __future__ import annotations

import numpy as np
import pytest

from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.network.components import assign_components
from rete.network.layers import Layers
from rete.network.network import Network
from rete.nodes.filter import Filter
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from tests.generators.rules.parsers import parse

PROLOGUE = """
Document( Prefix(ex <http://example.org/>)
          Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
          Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
          Window(10)
          Group( """


def network(*rules: str) -> Network:
    document = parse(PROLOGUE + "\n".join(rules) + "))").document
    made = Network(compile_document(document, TimeScale()).emits, Dictionary())
    assign_components(Layers(made), [made])
    return made


def plans(of: Network, kind: type) -> list:
    return [plan for plan in of.streams if isinstance(plan, kind)]


def test_rules_with_a_common_prefix_share_its_joins() -> None:
    body = "?x[ex:p -> ?y] ?y[ex:q -> ?z] ?z[ex:r -> ?x]"
    one = network(f"Forall ?x ?y ?z (?x[ex:h1 -> ?z] :- And({body}))")
    two = network(
        f"Forall ?x ?y ?z (?x[ex:h1 -> ?z] :- And({body}))",
        f"Forall ?a ?b ?c (?a[ex:h2 -> ?c] :- And({body}))".replace("?x", "?a")
        .replace("?y", "?b")
        .replace("?z", "?c"),
    )
    assert len(two.streams) == len(one.streams)


def test_there_is_no_product_while_a_shared_variable_is_left() -> None:
    made = network(
        "Forall ?a ?b ?c ?d (?a[ex:h -> ?d] :- And(?a[ex:p -> ?b] ?c[ex:q -> ?d] ?b[ex:r -> ?c]))"
    )
    assert all(join.on for join in plans(made, Join))


def test_a_variable_that_occurs_once_is_no_column() -> None:
    made = network("Forall ?x ?y ?z (?x[ex:h -> ex:c] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?z]))")
    assert {scan.width for scan in plans(made, Scan)} == {1}


def test_a_filter_stands_as_early_as_its_variables_allow() -> None:
    made = network(
        "Forall ?x ?v ?y (?x[ex:h -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?v] "
        "External(pred:numeric-greater-than(?v 3))))"
    )
    (test,) = plans(made, Filter)
    assert isinstance(test.source, Scan)


def test_parts_without_common_variable_meet_last_and_are_filtered_then() -> None:
    made = network(
        "Forall ?o ?v ?c ?t ?s (?o[ex:h -> ?c] :- And(?o[ex:value -> ?v] ?o[ex:by -> ?s] "
        "?c[ex:least -> ?t] ?c[ex:kind -> ex:storm] External(pred:numeric-greater-than(?v ?t))))"
    )
    products = [join for join in plans(made, Join) if not join.on]
    assert len(products) == 1
    (test,) = plans(made, Filter)
    assert test.source == products[0]


def test_heads_that_may_derive_the_same_fact_have_one_table() -> None:
    made = network(
        "Forall ?x (?x[ex:h -> ex:a] :- ?x[ex:p -> ex:a])",
        "Forall ?x ?y (?x[ex:h -> ?y] :- ?x[ex:q -> ?y])",
        "Forall ?x (?x[ex:h -> ex:b] :- ?x[ex:r -> ex:a])",
        "Forall ?x (?x[ex:g -> ex:b] :- ?x[ex:r -> ex:a])",
    )
    assert sorted(table.rules for table in made.tables) == [[1, 2, 3], [4]]


def test_what_feeds_comes_before_what_is_fed_on_the_agenda() -> None:
    made = network(
        "Forall ?x ?y (?x[ex:b -> ?y] :- ?x[ex:a -> ?y])",
        "Forall ?x ?y ?z (?x[ex:c -> ?z] :- And(?x[ex:b -> ?y] ?y[ex:c -> ?z]))",
        "Forall ?x ?y (?x[ex:d -> ?y] :- And(?x[ex:c -> ?y] ?y[ex:b -> ?x]))",
    )
    first, second, third = sorted(made.tables, key=lambda table: table.rules)
    assert first.rank < second.rank < third.rank
    assert first.feeds
    assert second.feeds
    assert not third.feeds


def test_many_tables_that_feed_many_patterns_still_come_before_them() -> None:
    made = network(
        *(f"Forall ?x (ex:s{i}[ex:state -> ?x] :- ex:a{i}(?x))" for i in range(40)),
        *(f"Forall ?x (ex:b{i}(?x) :- ?x[ex:state -> ex:v{i}])" for i in range(40)),
    )
    first = [table for table in made.tables if table.feeds]
    last = [table for table in made.tables if not table.feeds]
    assert (len(first), len(last)) == (40, 40)
    assert max(table.rank for table in first) < min(table.rank for table in last)


def test_ten_thousand_patterns_are_found_at_the_cost_of_the_rows() -> None:
    rules = [f"Forall ?x (?x[ex:h -> ex:c{i}] :- ?x # ex:C{i})" for i in range(300)]
    made = network(*rules)
    terms = made.terms
    rdf_type = terms.encode("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>")
    cls = terms.encode("<http://example.org/C7>")
    rows = np.array([[terms.encode("<http://example.org/x>"), rdf_type, cls, 0, 2]], np.int64)
    (relation,) = {plan.relation for plan in plans(made, Scan)}
    assert len(list(made.route(relation, rows))) == 1


@pytest.mark.parametrize("keep", [(0, 2), (-2,)])
def test_a_join_of_columns_that_there_are_not_is_refused(keep: tuple[int, ...]) -> None:
    left, right = (Scan(Relation(op, 2), (), (), of) for op, of in (("p", (0, 1)), ("q", (0,))))
    with pytest.raises(ValueError, match="not columns of 2 and 1"):
        Join(left, right, ((0, 0),), keep)
