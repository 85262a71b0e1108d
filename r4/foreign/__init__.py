"""Rules that are written in another language than RIF, as rule documents.

| file | what it is |
|---|---|
| `rule_parser` | tells languages apart; every reader of rules goes through it |
| `formulas` | formulas of RIF as translations make them |
| `places` | places in a text |
| `errors` | what can be wrong with such rules |

| room | what it reads |
|---|---|
| `sparql` | queries of SPARQL 1.1 |
| `jena` | forward rules of Jena |
"""
