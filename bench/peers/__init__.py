"""The peers that R4 is compared with: small programs, each run in a process of its own.

| file | what it does with the stream |
|---|---|
| `parse_only` | reads it into terms and does nothing |
| `hand_join` | joins it by hand, for q1 |
| `store_requery` | asks a SPARQL store anew at every second of event time |
| `full_seconds` | that loop: what came, what left, what changed |
| `clips_rete` | asserts it, fact by fact, to CLIPS, for q1 |
| `etalis_prolog` | writes it as events, and rules, for ETALIS on SWI-Prolog |
| `fuxi_rete` | derives all anew with FuXi at every second |
| `JenaRules.java` | tells Apache Jena what came and what left, at every second |
| `event_python`, `event_clips` | single events in memory: a join by hand, and of CLIPS |
| `event_durable`, `event_bytewax` | the same join of durable_rules, and of Bytewax |
| `column_windows` | no stream: pandas, polars or DuckDB on columns |
| `close_owlrl`, `close_reasonable`, `close_sparq` | no stream: close a graph under RDFS, OWL 2 RL |
| `mtl_meteor` | no stream: derives the model of rules with metric time |
| `mtl_dred` | no stream: DREDmtl brings such a model up to date |
"""
