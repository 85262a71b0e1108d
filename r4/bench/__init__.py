"""Workloads and comparisons: what `r4 bench` measures, and what it is measured against.

| file | what it is |
|---|---|
| `names` | what can be asked for: workloads, peers |
| `offers`, `observations`, `gales` | the streams, deterministic, with their static files |
| `clock`, `vocabulary` | event time and IRIs of the streams |
| `rules/` | the rules, one file a query |
| `workloads` | which rules run on which stream; the files that hold the streams |
| `expected` | what must come out, by brute force |
| `peers` | what R4 is compared with, a program each |
| `contest` | who takes part in a comparison, with which command |
| `launch`, `measure` | one run in a process of its own: seconds, peak memory |
| `session` | everybody, round by round, with answers checked |
| `ratios` | the figures that matter, and the bounds R4 means to keep |
| `pace`, `alone` | the engine without reading and writing |
| `growth` | memory, as the stream grows |
| `ontology` | a university: an ontology, and as many assertions as asked for |
| `comparable` | on what two closures can be compared |
| `close` | R4 closes a graph |
| `closing` | who closes a graph how fast, and whether they agree |
| `entailed` | the university as a stream, under an entailment regime |
| `retractable` | the graphs that facts are taken back from |
| `retract` | R4 takes facts back, and checks what is left |
| `retracting`, `retracting_report` | that against computing afresh, and against peers; its tables |
| `based` | what it costs to be able to |
| `published` | published programs with metric time, where somebody keeps them |
| `materialise`, `agree` | R4 derives their models, and compares those of a peer |
| `materialising`, `materialising_report` | who derives them how fast; its tables |
| `readings` | readings that come late, and what must be told of them |
| `rounds` | works that run in turns, and say themselves what they took and told |
| `bounds` | what R4 means to keep, and what became of it |
| `hypothesise` | R4 follows what they make possible, or derives what is so |
| `hypothesising`, `hypothesising_report` | how fast it does; its tables |
| `bulk`, `bulk_report` | bulk loading, and a rule on what is loaded; its tables |
| `spreading`, `spreading_report` | a stream over shards on Spark; its table |
| `turbines` | the same readings as RDF, and what must be told of them |
| `foretell` | R4 tells what they make possible beside what is so |
| `foretelling`, `foretelling_report` | what that costs; its tables |
| `closing_report`, `table` | the tables of that; what a table is |
| `report` | all tables, and JSON |

``python -m r4.bench STREAM COUNT`` writes a stream to standard output.
"""
