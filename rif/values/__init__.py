"""XSD and RDF datatypes: lexical forms, values, canonical forms, arithmetic of dates.

`datatypes` gives a literal its canonical literal and its number; it uses `decimals` (exact numbers
and floats), `dates` (canonical dates, times, durations) and `canonical_xml` (rdf:XMLLiteral).
`value_spaces` lists the datatypes that have a value, `symbol_spaces` checks the constants of a
rule, `date_arithmetic` computes with dates and durations as whole numbers. `plain_numbers` compares
the constants of DatalogMTL, which have no datatype.
"""
