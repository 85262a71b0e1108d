"""Sources of streams: a file a source, and a row of the table in `formats`.

| file | what it is |
|---|---|
| `formats` | the table of formats of streams, and sources of other packages by scheme and suffix |
| `text_lines` | where a reader of text is, and readers of lines |
| `answer_lines` | R4's JSON lines: answers of one run as the stream of another |
| `rdf_patch` | RDF Patch: additions and deletions, transaction by transaction |
| `json_ld` | JSON-LD as a stream: read whole, or a document a line |
| `subject_elements` | graphs without names: each subject with a stamp is an element |
| `mapping` | what the columns of a table mean, as values |
| `mapping_file` | the same as TOML, read |
| `table_row` | a row of a table, and what reads rows |
| `csv_rows` | the rows of CSV, as they come |
| `json_rows` | the rows of NDJSON, as they come |
| `table_statements` | the statements of a row, and the chunks of these |
| `parquet` | Parquet files as streams: triples with times, or by a mapping |
| `tables` | tables as streams and as static data, of the command line |
| `csv_table` | CSV files, opened, row by row |
| `csv` | a CSV file as a stream of SOSA observations, of the library |
"""
