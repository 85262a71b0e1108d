"""A question about a fact: parsed, answered from a state or a playback, why and why-not.

| file | what it is |
|---|---|
| `fact_parser` | the fact of a question, from text; IRIs that an unknown one may be meant for |
| `explainer` | why a fact holds in an engine, as explanations |
| `why_not` | what each rule lacks that could derive a fact |
| `proof_tree_builder` | proofs as trees, with names in place of ids |
| `playback` | a run that stops at an instant and where the fact ends |
| `assertion_journal` | what was asserted of late, for questions about past instants |
"""
