"""RIF/XML: bytes to tree, and the writer.

`parser` has the functions that read a document or a formula. Bytes are read in this order:
`encoding` decodes them, `doctype` checks and reads the entities, `tree` builds the elements with
their places. Each reader class extends the one before: `element_reader` (roles and attributes),
`term_reader`, `formula_reader`, `document_reader`, with one function a class element.
`element_writer` writes terms and formulas, `writer` documents.
"""
