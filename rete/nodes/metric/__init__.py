"""The kinds of node that move or compare times: the metric operators.

| module | what is in it |
|---|---|
| `shift` | rows in which a number is moved |
| `diamond`, `box` | when a row held at some distance, at every distance |
| `since` | Since and Until |
| `since_history` | of the right rows of a Since that ended only what may still matter |
"""
