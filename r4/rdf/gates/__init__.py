"""Gates before parsers: texts that would exhaust one are refused before it sees them.

| file | what it is |
|---|---|
| `input_limits` | limits of nesting, length and expansion; the gate of Turtle and TriG |
| `xml_encoding` | XML in other encodings than UTF-8, and other syntaxes of ontologies |
| `xml_gate` | how much of an RDF/XML text is harmless, well-formed XML |
| `json_gate` | JSON-LD whose nesting or contexts would exhaust the parser |
"""
