"""Documents that are read whole, RDF/XML and JSON-LD: their parser cannot be stopped.

| file | what it is |
|---|---|
| `document` | a document as N-Quads; it imports little, as each process below begins with it |
| `xml_literals` | RDF/XML with its XML literals in canonical form |
| `line` | a line of JSON-LD lines likewise |
| `frames` | what goes through the pipes between the two processes |
| `reader_process` | a process of its own for a long document: bounds of memory, time and signals |
| `child` | what that process runs |
"""
