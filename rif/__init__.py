"""RIF-Core: text to a checked syntax tree. Knows no ids, no time, no network.

Reading: `lexer` cuts the text, `cursor` keeps the place and recovers from faults; then there is
one function a production in `parse_constants`, `parse_terms`, `parse_formulas`, `parse_documents`;
`parser` is the public door. `kinds` is the table of formulas that other packages add. `unparse`
writes documents back.

Meaning: `terms` and `ast` are the values, `walk` goes over them, `iri` resolves names; `datatypes`,
`numbers` and `temporals` give literals their values; `builtins` evaluates RIF-DTB.

Judging: `errors` has a class per code, `collector` gathers them and `report` shows
them to a person; `wellformed`, `safety` and `strong` find them; `dnf` and `normal` bring rules into
the form that is judged and compiled.
"""
