"""The presentation syntax: text to tree by recursive descent, and the writer.

`parser` has the functions that read a document or a formula. A text is read in this order: `lexer`
splits it into tokens; `cursor` is the position in the tokens, and recovers after a fault, for which
`hints` suggests what to write. Each parser class extends the one before: `constant_parser`,
`term_parser`, `expression_parser`, `formula_parser`, `document_parser`, with one function a
production; `aggregate_parser` reads aggregates. `shorthand` completes what readable rules leave
out. `other_languages` tells rules of other languages by their looks. `writer` writes a document as
plain RIF, `readable_writer` as readable rules; `formatter` lays a text out and keeps its comments.
"""
