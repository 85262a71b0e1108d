"""Forward rules of Jena as rules: ``[r: (?a ex:gust ?k) greaterThan(?k, 34) -> (?a ex:is 'hot')]``.

| file | what it is |
|---|---|
| `documents` | rules as a rule document |
| `parser` | rules as they are written |
| `tokens` | the words of rules, with their places |
| `built_ins` | what Jena's built-ins are in R4 |
"""
