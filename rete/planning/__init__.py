"""From clauses to plans. Knows no ids, no arrays and no state.

| module | what is in it |
|---|---|
| `planned_kind` | kinds of formula with plans, as rows of a language |
| `lowering` | clauses to conjunctions of patterns, tests and lets |
| `operands` | what stands under a metric operator, as a plan of its own |
| `aggregates` | aggregates as plans, and groups without a solution |
| `event_facts` | the rules behind event times |
| `earlier_answers` | cycles of rules that go back in time |
| `join_order` | in which order a conjunction is joined as long as nothing is counted: a tree |
| `join_graph` | the joins of a plan without their order, and plans in other orders |
| `join_cost` | how many pairs an order makes by counts, and a cheap order |
| `plan_builder` | an order to a plan, projected to what is needed |
| `unification` | which patterns can match the same fact, found by their constants |
| `strata` | what must be complete before what is negated is asked for |
"""
