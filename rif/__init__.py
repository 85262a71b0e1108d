"""RIF-Core: text to a checked syntax tree. Knows no ids, no time, no network.

`parser` reads a document in either syntax: it tells the two apart by how the text begins. A change
of the grammar is in `text` or `xml`, a new built-in in `builtins`, a new error code in `errors`.

| room | what is in it |
|---|---|
| `text` | the presentation syntax: lexer, cursor, hints, parser classes, writer |
| `xml` | RIF/XML: encoding, doctype, tree, reader classes, writer |
| `checks` | well-formed, safe, strongly safe, within RIF-Core; `document` runs all |
| `language` | kinds of formula and built-ins, as parsers, checks and writers take them |
| `builtins` | functions and predicates of RIF-DTB, a file a group; R4's own |
| `values` | XSD and RDF datatypes: values, canonical forms, value spaces, dates |
| `regex` | regular expressions of XPath, on RE2 |
| `syntax` | terms, the tree, traversal, formula kinds, negation as failure, normal forms |
| `errors` | a class a code; `report` shows them to a person |

Imports go down this table.
"""
