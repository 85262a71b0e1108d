"""Rows of evidence, the entries that they are of, and which of these are minimal: columns of ids.

| file | what it is |
|---|---|
| `evidence_reader` | what rows stand for: a fact, its evidence, what is missing; in columns, too |
| `evidence_store` | the rows of evidence of a run: they come, go and expire |
| `embeddings` | with which values one set of hypotheses is a part of another |
| `hypothesis_sets` | which rows a set of hypotheses without evidence makes needless |
| `subsumption` | which sets of hypotheses are minimal |
| `fact_entries` | the entries of facts, now and as last reported; the most probable under a cap |
"""
