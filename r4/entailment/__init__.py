"""Entailment: whether a premise entails a conclusion.

| file | what it is |
|---|---|
| `decision` | closes a premise and says whether a conclusion follows |
| `query_parts` | a conclusion, or a graph, as conditions that are asked one by one |
"""
