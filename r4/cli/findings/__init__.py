"""Faults of rules for programs: for editors, and for the checks of a repository.

| file | what it is |
|---|---|
| `collection` | the faults that a command finds, each with its file |
| `json_lines` | a JSON object a fault |
| `sarif` | all of them as a log of SARIF |
"""
