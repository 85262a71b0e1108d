"""RIF-Core: text to a checked syntax tree. Knows no ids, no time, no network.

Reading: `reading` is the public door for bytes; it tells the two syntaxes apart. In the
presentation syntax (`parser` is its door) `lexer` cuts the text, `cursor` keeps the place and
recovers from faults, for which `hints` knows advice; then there is one function a production in
`parse_constants`, `parse_terms`, `parse_formulas`, `parse_documents`. In RIF/XML (`xml` is its
door) `xml_bytes` finds the characters, `xml_doctype` judges the entities, `xml_tree` gives the
elements; then there is one function a class element in `xml_terms`, `xml_formulas`,
`xml_documents`, upon the roles of `xml_reader`; what XML alone can get wrong is in `xml_errors`.
Both stand on `symbol_spaces` and `restrictions`: constants, and what RIF-Core leaves out. `kinds`
is the table of formulas that RIF-Core does not have and other packages add; `naf` is the one of
them that stands here.

Writing: `unparse`; `write_xml`, upon the elements of `xml_writer`.

Meaning: `terms` and `ast` are the values, `walk` goes over them, `iri` resolves names; `datatypes`,
`numbers`, `temporals` and `fragments` give literals their values, `timeline` counts with dates;
`builtins` evaluates RIF-DTB, its regular expressions in `regex`.

Judging: `errors` has a class per code, `collector` gathers them and `report` shows
them to a person; `wellformed`, `safety` and `strong` find them; `dnf` and `normal` bring rules into
the form that is judged and compiled.
"""
