"""What can be wrong with a rule document: one class per code.

`base` has the base class and places in a text; `report` collects faults and shows them to a person;
`nearest` finds the word that was probably meant.
The classes: `syntax` ``RIF10x``, ``RIF11x`` (the text is not RIF-Core syntax), `xml` ``RIF12x``,
``RIF13x`` (nor RIF/XML), `dialect` ``RIF15x``, ``RIF16x`` (it is that of another dialect), `checks`
``RIF2xx`` (not well-formed) and ``RIF3xx`` (not safe).
"""
