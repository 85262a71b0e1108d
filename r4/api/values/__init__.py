"""What users give an engine and get from it, as values.

| file | what it is |
|---|---|
| `keywords` | methods whose keywords are the fields of a dataclass of options |
| `mapped_rows` | dicts that become elements by the mapping of a table |
| `event_clock` | event time: times as ticks and back, the frontier, why elements have no effect |
| `wall_time` | elements and the time of a clock in one sequence |
| `graph_terms` | statements as canonical texts, and N-Triples as ids |
| `term_texts` | terms of pyoxigraph as canonical texts |
| `rdflib_terms` | nodes of rdflib as canonical texts, and back |
| `change` | answers as the user gets them, and the queue in which they wait |
| `change_table` | changes as a table, also of Arrow and pandas |
| `possible_answers` | possible answers as the user gets them |
"""
