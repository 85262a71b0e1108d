"""Where answers go.

file.py      a file that may be lost
output.py    which answers are wanted, and what makes a run fail
jsonl.py     a JSON object a line
rdf.py       N-Quads, TriG, RDF Patch
parquet.py   columns in row groups; with the extra of that name
"""
