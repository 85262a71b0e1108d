"""Sources of streams: a file a source, and a row of the table in `formats`.

| file | what it is |
|---|---|
| `formats` | the table of formats of streams |
| `connectors` | sources of other packages: what they are asked, and which options they heed |
| `transport` | what delivers the bytes of a stream, and how a later process reads on |
| `input_formats` | what an input is by its name: format, extension, mapping |
| `text_lines` | where a reader of text is, and readers of lines |
| `answer_lines` | R4's JSON lines: answers of one run as the stream of another |
| `rdf_patch` | RDF Patch: additions and deletions, transaction by transaction |
| `json_ld` | JSON-LD as a stream: read whole, or a document a line |
| `missing_times` | what a graph lacks that is given as a stream, or a subject of it |
| `subject_elements` | graphs without names: each subject with a stamp is an element |
| `reified_triples` | triples with a time of their own, of RDF 1.2 |
| `parquet` | Parquet files as streams: triples with times, or by a mapping |
| `csv` | a CSV file as a stream of SOSA observations, of the library |

Tables, row by row, are in `tables`; `proposal` has mappings that are proposed for them.
"""
