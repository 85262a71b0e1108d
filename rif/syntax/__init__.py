"""Abstract syntax: terms, the tree, walks over it, formula kinds, normal forms.

`terms` are the RDF and RIF terms with their canonical text, `iri` resolves IRIs, `ast` has the
nodes of the tree, `traversal` the walks over them: variables, sub-formulas, renaming.
`formula_kinds` says how a kind of formula that RIF-Core does not have is read and written;
`negation` (as failure) and `aggregates` are some. `disjunctive_normal_form` expands a body,
`clauses` gives the rules as a compiler takes them. `lexical` has what both concrete syntaxes share
below their grammars: bounds, characters of names, units of time. `garbage_collection` pauses the
collector while a tree is built; `strong_components` tells what is in a circle.
"""
