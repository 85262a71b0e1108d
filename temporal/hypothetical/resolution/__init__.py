"""Preprocessing: a query resolved to schematic answers over input atoms [CruzFilipe22, section 4].

| file | what is in it |
|---|---|
| `resolver` | the search, its limits and its result |
| `goals` | goals and clauses; goals that come back, and the cycle by which they do |
| `unification` | unification of atoms; rules renamed apart, and names that people read |
| `subsumption` | clauses that become a part of others, which add nothing |
"""
