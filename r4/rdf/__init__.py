"""RDF documents in: the format of a file, and its statements as chunks of term ids.

| file or room | what it is |
|---|---|
| `files` | bytes of a named file or of standard input, decompressed, as they arrive |
| `documents` | the formats, and the reader of each; static triples |
| `format_detection` | rules or a graph, and its format, by how a document begins |
| `format_hints` | what the first lines look like, if they are no N-Quads |
| `chunks` | what readers give: rows of ids, faults, line numbers |
| `nquads` | reader of N-Quads and N-Triples |
| `turtle` | reader of Turtle and TriG, statement by statement |
| `turtle_splitter` | where the statements of Turtle and TriG end |
| `blank_nodes` | names of blank nodes that have no label |
| `json_contexts` | JSON-LD contexts from files that are named, in place of their IRIs |
| `parser_output` | what comes from the parser: quads as text, messages |
| `whole` | RDF/XML and JSON-LD, long ones in a process of their own |
| `gates` | texts that would exhaust a parser, refused before it sees them |
"""
