"""Streams from elsewhere: what gives a `r4.stream.source.Source`.

| file | what it is |
|---|---|
| `mapping` | what the columns of a table mean, as values |
| `table` | CSV files, row by row |
| `csv` | a CSV file as a stream of SOSA observations, or as static descriptions |
"""
