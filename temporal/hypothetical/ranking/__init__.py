"""How probable awaited facts are, and the k most probable answers, for both languages.

| file | what is in it |
|---|---|
| `arrival_probability` | how probable it is that what has not arrived yet arrives |
| `top_k` | the k entries with the highest confidence, as it changes with time |
"""
