"""DatalogMTL text: programs, facts, tables, and the way back.

`programs` and `facts` are the doors for reading, `tables` the one for CSV, `writer` the way back,
`bulk` that of very many facts.
Beneath them `scanner` keeps the place on a line, `intervals` reads ranges of `times`, `atoms`
predicates with their arguments, `formulas` everything with operators in it, whose spellings are the
tables of `spellings`. A line is a rule or a fact, so a fault in one hides none in another.
"""
