"""Where answers go: a file a form, and a row of the table in `formats`.

| file | what it is |
|---|---|
| `formats` | the table of forms (``--as``) and of places by scheme |
| `output` | which answers are written, and which make a run fail |
| `file` | a file that may be lost |
| `json_lines` | a JSON object a line |
| `rdf` | N-Quads, TriG, JSON-LD lines, RDF Patch; late elements as a stream again |
| `parquet` | columns in row groups; with the extra of that name |
| `csv_rows` | answers at marks of time as CSV |
| `current_state` | what holds when the run has ended: CSV, Turtle |
"""
