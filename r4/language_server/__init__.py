"""What an editor asks about the text of rules: `r4 lsp`.

All but `server` are functions of a text and an offset in it; a text with faults is read as far as
it can be. Nothing is opened but the data files that the client names.

| file | what is in it |
|---|---|
| `rule_text` | a text of rules as editors have it, with tokens, prefixes, and what could be read |
| `positions` | lines and columns of the protocol, and offsets |
| `diagnostics` | the faults of a text, as `r4 check` finds them |
| `descriptions` | what is known of built-ins and keywords, in a line |
| `hover` | what stands at an offset, described |
| `completion` | the names and words that may go on at an offset |
| `definitions` | the heads of the rules that conclude a predicate |
| `data_names` | the predicates and classes of data files |
| `server` | the server on standard input and output; it alone needs the extra `lsp` |
"""
