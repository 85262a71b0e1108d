"""Times of facts that elements assert and rules derive at once, through an engine."""

from __future__ import annotations

from r4 import Engine

COUNTS = """Document( Prefix(ex <urn:ex:>) Group( Forall ?s ?m ?v (
  ?s[ex:t -> ?m] :- And( ?s[ex:q -> ?v]
    ?m = count{ ?w [?s] | DiamondMinus [1, 4] ( At ?t ( ?s[ex:t -> ?w] ) ) } ) ) ) )"""


def test_a_time_that_is_derived_no_longer_may_still_be_asserted() -> None:
    """3 is derived from 3 to 4, and asserted from 3 to 6: its time 3 counts until 10."""
    engine = Engine.from_text(COUNTS)
    engine.add_static("<urn:ex:b> <urn:ex:q> 1 .")
    engine.heartbeat(0)
    engine.add("<urn:ex:b> <urn:ex:t> 3 .", at=3, until=6)
    engine.heartbeat(9)
    engine.finish()
    told = [(each.op, each.at, str(each.triple and each.triple[2])) for each in engine.changes()]
    assert told[-3:] == [("+", 4, "4"), ("-", 6, "4"), ("+", 6, "3")]
