"""Temporal Datalog [CruzFilipe20]: syntax tree, parsers, validation, errors.

| file | what is in it |
|---|---|
| `ast` | times, atoms, rules, programs, schematic answers |
| `errors` | one error class per code, ``HYP`` |
| `atom_parser` | atoms whose last argument is a time |
| `program_parser` | programs and queries; numbers of arguments, sorts of variables, safeness |
"""
