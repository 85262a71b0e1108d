"""Is a rule document well-formed, safe, strongly safe, and within RIF-Core?

`document` runs the checks over a document. `wellformedness` checks declarations of variables, roles
of constants and uses of built-ins, constant patterns among them; `safety` checks that every
variable is bound, `strong_safety` that forward chaining ends. `aggregates` checks their
forms. `dialect` has what RIF-Core leaves out of RIF-BLD; the parsers of both syntaxes call it while
they read.
"""
