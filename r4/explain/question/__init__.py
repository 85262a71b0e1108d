"""A question about a fact: parsed, answered from a state or a playback, why and why-not.

| file | what it is |
|---|---|
| `fact_parser` | the fact of a question, from text; IRIs that an unknown one may be meant for |
| `explainer` | why a fact holds in an engine, as explanations |
| `why_not` | what each rule lacks that could derive a fact, in RIF and in DatalogMTL |
| `operand_lacks` | which operand of a metric operator does not hold, and when |
| `blocking_facts` | the facts that a negation forbids and that are there |
| `event_lacks` | what is there where an event time or a value of a group is not as wanted |
| `group_members` | how many members a group has, and what changed its value |
| `join_sides` | the columns of a join of two sources, as columns of one of them |
| `known_state` | a state with what is known of other instants, for these three |
| `proof_tree_builder` | proofs as trees, with names in place of ids, in RIF and in DatalogMTL |
| `playback` | a run that stops at an instant and where the fact ends |
| `assertion_journal` | what was asserted of late, for questions about past instants |
"""
