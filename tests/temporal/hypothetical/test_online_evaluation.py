"""Hypothetical answers online: the examples of [CruzFilipe22], state by state, and beyond."""

import pytest

from temporal.hypothetical.arrival.lateness import DelayBounds
from temporal.hypothetical.syntax.errors import TooManyHypotheses
from tests.temporal.hypothetical.schematic_runs import SchematicRun, schematic_answer

MALF = schematic_answer("Malf(X,T)", "Temp(X,high,T)", "Temp(X,high,T+1)", "Temp(X,high,T+2)")
LATE = DelayBounds(1)


def test_examples_2_and_3_one_turbine_grows_too_hot() -> None:
    run = SchematicRun("Malf(X,T)", MALF)
    assert run.slice(0, "Temp(wt2,high,0)") == [
        "0 supported wt2,0: Temp(wt2,high,0) | Temp(wt2,high,1) Temp(wt2,high,2)"
    ]
    assert run.slice(1, "Temp(wt2,high,1)") == [
        "1 supported wt2,0: Temp(wt2,high,0) Temp(wt2,high,1) | Temp(wt2,high,2)",
        "1 supported wt2,1: Temp(wt2,high,1) | Temp(wt2,high,2) Temp(wt2,high,3)",
    ]
    assert run.slice(2, "Temp(wt2,high,2)") == [
        "2 supported wt2,1: Temp(wt2,high,1) Temp(wt2,high,2) | Temp(wt2,high,3)",
        "2 supported wt2,2: Temp(wt2,high,2) | Temp(wt2,high,3) Temp(wt2,high,4)",
        "2 answer wt2,0: Temp(wt2,high,0) Temp(wt2,high,1) Temp(wt2,high,2) |",
    ]
    assert run.online.held == 2


def test_a_line_has_its_keys_in_order() -> None:
    run = SchematicRun("Malf(X,T)", MALF)
    supported, withdrawn = run.online.push(run.slices({0: ['Temp("a b",high,0)'], 1: []}))
    assert supported == (
        '{"tau":0,"status":"supported","answer":{"X":"a b","T":0},'
        '"evidence":["Temp(\\"a b\\",high,0)"],'
        '"hypotheses":["Temp(\\"a b\\",high,1)","Temp(\\"a b\\",high,2)"],"because":null}'
    )
    assert withdrawn == (
        '{"tau":1,"status":"withdrawn","answer":{"X":"a b","T":0},"evidence":[],"hypotheses":[],'
        '"because":"Temp(\\"a b\\",high,1)"}'
    )


def test_examples_4_and_5_what_is_delayed_may_still_come() -> None:
    run = SchematicRun("Malf(X,T)", MALF, delays=LATE)
    assert run.slice(0, "Temp(wt4,high,0)") == [
        "0 supported wt4,0: Temp(wt4,high,0) | Temp(wt4,high,1) Temp(wt4,high,2)"
    ]
    assert run.slice(1) == []
    assert run.online.held == 1


def test_example_6_an_answer_and_what_others_may_join_it() -> None:
    delays = DelayBounds(0, {"p": ((("_",), 2),)})
    run = SchematicRun("q(X,T)", schematic_answer("q(X,T)", "p(X,T)", "r(Y,T)"), delays=delays)
    # σ3 is an answer and σ2 a way to more; σ1 waits for what is no longer possible, σ0 for all.
    assert run.slice(0, "p(a,0)", "r(b,0)") == [
        "0 supported ?X,0: r(b,0) | p(?X,0)",
        "0 answer a,0: p(a,0) r(b,0) |",
    ]
    assert run.slice(1) == []
    assert run.slice(2, "p(c,0)") == ["2 answer c,0: p(c,0) r(b,0) |"]
    assert run.online.held == 0


def test_example_6_what_has_no_instances_but_answers_ends_without_a_line() -> None:
    delays = DelayBounds(0, {"p": ((("_",), 2),)})
    run = SchematicRun("q(X,T)", schematic_answer("q(X,T)", "p(X,T)", "r(Y,T)"), delays=delays)
    run.slice(0, "p(a,0)", "r(b,0)")
    assert run.slice(1, "r(b,1)") == ["1 supported ?X,1: r(b,1) | p(?X,1)"]
    assert run.slice(9) == ["3 withdrawn ?X,1: p(?X,1)"]
    assert run.drain() == []


@pytest.fixture
def waiting() -> SchematicRun:
    run = SchematicRun("Malf(X,T)", MALF, delays=LATE)
    run.batch({0: ["Temp(wt2,high,0)"], 1: []})
    return run


def test_example_7_without_the_second_reading_it_is_withdrawn(waiting: SchematicRun) -> None:
    assert waiting.slice(2) == ["2 withdrawn wt2,0: Temp(wt2,high,1)"]


def test_example_7_with_the_second_reading_it_waits_for_the_third(waiting: SchematicRun) -> None:
    assert waiting.slice(2, "Temp(wt2,high,1)") == [
        "2 supported wt2,0: Temp(wt2,high,0) Temp(wt2,high,1) | Temp(wt2,high,2)",
        "2 supported wt2,1: Temp(wt2,high,1) | Temp(wt2,high,2) Temp(wt2,high,3)",
    ]
    assert waiting.slice(3) == [
        "3 withdrawn wt2,0: Temp(wt2,high,2)",
        "3 withdrawn wt2,1: Temp(wt2,high,2)",
    ]


def test_example_7_with_both_it_is_an_answer(waiting: SchematicRun) -> None:
    told = waiting.slice(2, "Temp(wt2,high,2)", "Temp(wt2,high,1)")
    assert told[-1] == "2 answer wt2,0: Temp(wt2,high,0) Temp(wt2,high,1) Temp(wt2,high,2) |"


def test_example_8_a_free_time_stays_open_to_the_end() -> None:
    defective = schematic_answer("Defective(X,0)", "Temp(X,high,T1)", 'Temp(X,"n/a",T2)')
    run = SchematicRun("Defective(X,T)", defective)
    assert run.slice(0, "Temp(wt2,high,0)") == [
        "0 supported wt2,0: Temp(wt2,high,0) | Temp(wt2,n/a,?T2)"
    ]
    assert run.slice(1000, "Temp(wt3,high,1000)") == [
        "1000 supported wt3,0: Temp(wt3,high,1000) | Temp(wt3,n/a,?T2)"
    ]
    assert run.slice(2000, 'Temp(wt3,"n/a",2000)') == [
        "2000 answer wt3,0: Temp(wt3,high,1000) Temp(wt3,n/a,2000) |"
    ]
    assert run.drain() == ["2000 withdrawn wt2,0: end of input"]


def test_the_readings_of_the_paper_on_minimality_leave_one_entry() -> None:
    # Below Proposition 8: the second schema needs more than the first once p(b,1) has come.
    one = schematic_answer("q(0)", "p(a,0)", "p(b,1)", "p(c,2)")
    other = schematic_answer("q(0)", "p(a,0)", "p(c,2)", "p(d,3)")
    run = SchematicRun("q(T)", one, other)
    assert run.slice(0, "p(a,0)") == [
        "0 supported 0: p(a,0) | p(b,1) p(c,2)",
        "0 supported 0: p(a,0) | p(c,2) p(d,3)",
    ]
    assert run.slice(1, "p(b,1)") == ["1 supported 0: p(a,0) p(b,1) | p(c,2)"]
    assert run.online.held == 1
    assert run.slice(2) == ["2 withdrawn 0: p(c,2)"]


def test_a_jump_of_time_visits_deadlines() -> None:
    run = SchematicRun("Malf(X,T)", MALF, delays=DelayBounds(5))
    run.batch({0: ["Temp(a,high,0)"], 3: ["Temp(b,high,3)"]})
    told = run.slice(10**9, "Temp(c,high,1000000000)")
    assert [line.split()[0] for line in told[:-3]] == ["6", "6", "7", "9"]
    assert told[:2] == ["6 withdrawn a,0: Temp(a,high,1)", "6 withdrawn b,1: Temp(b,high,1)"]
    assert told[-3] == (
        "1000000000 supported c,1000000000: Temp(c,high,1000000000) | "
        "Temp(c,high,1000000001) Temp(c,high,1000000002)"
    )


def test_times_before_0_do_not_exist() -> None:
    run = SchematicRun("Malf(X,T)", MALF, delays=DelayBounds(9))
    assert len(run.slice(1, "Temp(a,high,1)")) == 2  # T is 0 or 1, not -1


def test_a_bound_on_a_time_may_be_higher_than_atoms_ask_for() -> None:
    run = SchematicRun("q(T)", schematic_answer("q(T)", "p(T)", "r(T+1)", T=2))
    assert run.slice(1, "p(1)") == []
    assert run.slice(2, "p(2)") == ["2 supported 2: p(2) | r(3)"]


@pytest.mark.parametrize("both", [True, False])
def test_how_slices_are_cut_into_batches_changes_nothing(both: bool) -> None:
    slices = {
        0: ["Temp(a,high,0)", "Temp(b,high,0)"],
        2: ["Temp(a,high,2)", "Temp(b,high,2)"],
        3: ["Temp(a,high,1)"],
        9: [],
    }
    run = SchematicRun("Malf(X,T)", MALF, delays=DelayBounds(2))
    if both:
        told = run.batch(slices)
    else:
        told = [line for tau, facts in slices.items() for line in run.slice(tau, *facts)]
    assert [line for line in told if line.startswith(("2", "3"))] == [
        "2 supported a,0: Temp(a,high,0) Temp(a,high,2) | Temp(a,high,1)",
        "2 supported a,1: Temp(a,high,2) | Temp(a,high,1) Temp(a,high,3)",
        "2 supported a,2: Temp(a,high,2) | Temp(a,high,3) Temp(a,high,4)",
        "2 supported b,0: Temp(b,high,0) Temp(b,high,2) | Temp(b,high,1)",
        "2 supported b,1: Temp(b,high,2) | Temp(b,high,1) Temp(b,high,3)",
        "2 supported b,2: Temp(b,high,2) | Temp(b,high,3) Temp(b,high,4)",
        "3 withdrawn b,0: Temp(b,high,1)",
        "3 withdrawn b,1: Temp(b,high,1)",
        "3 supported a,1: Temp(a,high,1) Temp(a,high,2) | Temp(a,high,3)",
        "3 answer a,0: Temp(a,high,0) Temp(a,high,1) Temp(a,high,2) |",
    ]


def test_a_fact_that_comes_again_has_no_effect() -> None:
    run = SchematicRun("Malf(X,T)", MALF, delays=DelayBounds(9))
    facts = [f"Temp(a,high,{time})" for time in range(3)]
    run.slice(2, *facts)
    assert run.slice(3, *facts) == []
    assert run.slice(11, facts[2]) == []  # as late as it may be, after all that it waits for


def test_an_instance_has_a_delay_of_its_own() -> None:
    delays = DelayBounds(0, {"Temp": ((("slow", "_"), 3), (("_", "_"), 0))})
    run = SchematicRun("Malf(X,T)", MALF, delays=delays)
    run.slice(0, "Temp(slow,high,0)", "Temp(fast,high,0)")
    assert run.slice(9) == [
        "1 withdrawn fast,0: Temp(fast,high,1)",
        "4 withdrawn slow,0: Temp(slow,high,1)",
    ]


def test_what_arrives_at_a_deadline_is_no_reason() -> None:
    delays = DelayBounds(0)
    schema = schematic_answer("q(X,T)", "p(X,T)", "r(X,T+1)", "s(X,T+1)")
    run = SchematicRun("q(X,T)", schema, delays=delays)
    run.slice(0, "p(a,0)")
    assert run.slice(1, "r(a,1)") == ["1 withdrawn a,0: s(a,1)"]


def test_joined_hypotheses_bind_variables_of_each_other() -> None:
    schema = schematic_answer("q(X,Z,T)", "p(X,Y,T)", "p(Y,Z,T+1)")
    run = SchematicRun("q(X,Z,T)", schema)
    assert run.slice(0, "p(a,b,0)") == ["0 supported a,?Z,0: p(a,b,0) | p(b,?Z,1)"]
    assert run.slice(1, "p(b,c,1)", "p(d,e,1)") == [
        "1 supported b,?Z,1: p(b,c,1) | p(c,?Z,2)",
        "1 supported d,?Z,1: p(d,e,1) | p(e,?Z,2)",
        "1 answer a,c,0: p(a,b,0) p(b,c,1) |",
    ]


def test_of_facts_that_differ_in_what_matters_nowhere_else_the_least_is_evidence() -> None:
    delays = DelayBounds(0, {"p": ((("_",), 9),), "r": ((("_",), 9),)})
    run = SchematicRun("q(X,T)", schematic_answer("q(X,T)", "p(X,T)", "r(Y,T+1)"), delays=delays)
    assert run.slice(0, "p(a,0)") == ["0 supported a,0: p(a,0) | r(?Y,1)"]
    assert run.slice(1, "r(c,1)", "r(b,1)") == [
        "1 supported ?X,0: r(b,1) | p(?X,0)",
        "1 answer a,0: p(a,0) r(b,1) |",
    ]
    assert run.slice(2, "r(d,1)", "p(b,0)") == ["2 answer b,0: p(b,0) r(b,1) |"]
    assert run.slice(3, "r(a,1)") == []
    assert run.slice(4, "p(c,0)") == ["4 answer c,0: p(c,0) r(a,1) |"]


def test_what_waits_for_any_time_is_one_entry_however_many_facts_come() -> None:
    defective = schematic_answer("Defective(X,0)", "Temp(X,high,T1)", 'Temp(X,"n/a",T2)')
    run = SchematicRun("Defective(X,T)", defective)
    for tau in range(20):
        run.slice(tau, f"Temp(wt2,high,{tau})")
    assert run.online.held == 1
    assert sum(len(tally.entries.rows) for tally in run.online._entry_tables) == 1


def test_a_query_without_answers_is_silent() -> None:
    run = SchematicRun("q(X,T)")
    assert run.slice(0, "p(a,0)") == []
    assert run.drain() == []


def test_a_query_without_variables_has_one_answer() -> None:
    run = SchematicRun("q(3)", schematic_answer("q(3)", "p(2)", "r(3)"))
    assert run.slice(2, "p(2)") == ["2 supported : p(2) | r(3)"]
    assert run.slice(3, "r(3)") == ["3 answer : p(2) r(3) |"]


def test_too_many_hypotheses_are_refused_and_many_of_the_same_variables_are_not() -> None:
    chain = schematic_answer("q(X,T)", *(f"p(X,T+{number})" for number in range(60)))
    run = SchematicRun("q(X,T)", chain)
    assert len(run.slice(0, "p(a,0)")) == 1
    apart = schematic_answer("q(T)", *(f"p{number}(X{number},T)" for number in range(20)))
    with pytest.raises(TooManyHypotheses):
        SchematicRun("q(T)", apart)
