"""Facts of DatalogMTL: read from lines and tables, one by one or in bulk; written; selected.

| file | what is in it |
|---|---|
| `fact_parser` | reads a line of facts; the faults of those that are none |
| `table_parser` | reads a row of a CSV table of one predicate |
| `bulk_loader` | reads whole sources into columns, by a kernel; the parsers read other lines |
| `stream_loader` | reads a stream of facts and retractions chunk by chunk |
| `bulk_chunks` | a chunk of a source as the kernel read it |
| `bulk_columns` | facts in columns with exact ends; then in cells |
| `bulk_writer` | writes the rows of a model as text |
| `fact_patterns` | patterns such as ``Seen(_,ann)`` that select facts |
"""
