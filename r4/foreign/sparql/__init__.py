"""Queries of SPARQL 1.1, RSP-QL, C-SPARQL, CQELS as rules.

CONSTRUCT derives its template, SELECT an atom a row.

`documents` reads a query: `query_parser` has rdflib parse it, `rules` makes its rules. A pattern is
a list of cases, in each of which it is known which variables are bound.

| file | what it is |
|---|---|
| `documents` | a query as a rule document |
| `continuous` | what queries over streams have beside SPARQL: names, windows, reports |
| `windows` | these windows as a Window of the document, or as operators |
| `rules` | templates and rows as heads |
| `resolution` | two rules that differ in a part and its negation are one |
| `patterns` | patterns of the algebra as cases |
| `aggregation` | groups and aggregates |
| `expressions` | filters and values: what is true, what is false, what is an error |
| `property_paths` | triples whose predicate is a path |
| `solutions` | cases, and how they are joined |
| `terms` | terms of rdflib as terms of RIF |
| `query_parser` | a query as rdflib's algebra |
| `query_text` | the words of a query, with their places |
| `tokens` | its tokens |
"""
