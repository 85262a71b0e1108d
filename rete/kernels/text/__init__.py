"""Kernels on terms, facts and answers as text.

| module | what is in it |
|---|---|
| `pure_terms` | the index of a dictionary: canonical text to id, and its mapped terms |
| `pure_columns` | the columns of a dictionary: order, numbers, decoding |
| `pure_nquads` | lines and tokens of N-Quads |
| `pure_facts` | plain lines of DatalogMTL facts and tables |
| `pure_json` | answers as JSON lines |
"""
