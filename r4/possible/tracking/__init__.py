"""A run with possible answers: evidence comes and goes, entries are compared and reported.

An *entry* is a fact with the hypotheses that it waits for.

| file | what it is |
|---|---|
| `tracker` | follows evidence and answers, and reports entries: supported, confirmed, withdrawn |
| `reporting` | when the tracker reports, and how a run with it begins |
| `evidence_reader` | what a row of evidence stands for, in ids and cells |
| `evidence_store` | the rows of evidence of a run: they come, go and expire |
| `live_entries` | the entries of a fact, and which of them are minimal |
| `subsumption` | when one set of hypotheses makes another needless |
| `top_k` | the most probable entries, where there is a cap |
| `certain_answers` | which facts are derived by now |
| `withdrawals` | why a fact is possible no more |
| `answer_writer` | from ids and cells to texts and ticks |
| `possible_answers` | possible answers and status reports as values |
| `json_lines` | status reports as JSON lines |
"""
