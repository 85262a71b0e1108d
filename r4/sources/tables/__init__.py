"""Tables: rows become statements by a mapping of their columns.

| file | what it is |
|---|---|
| `table_place` | where a reader of rows is in its text, and among the rows |
| `table_source` | tables as streams and as static data, of the command line |
| `mapping` | a row of a table, and what its columns mean, as values |
| `mapping_file` | the same as TOML, read |
| `local_times` | times of a named zone, each with its offset |
| `csv_rows` | the rows of CSV, as they come |
| `json_rows` | the rows of NDJSON, as they come |
| `table_statements` | the statements of a row, and the chunks of these |
| `table_columns` | rows as columns of Arrow, in which each distinct value stands once |
| `parquet_columns` | the values of columns of Parquet as texts |
| `column_terms` | the terms of columns, made once for each distinct value |
| `column_statements` | the statements of rows as columns, as the same text |
"""
