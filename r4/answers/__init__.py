"""Answers: what began and ceased to hold, emitted once it is final or early, and put in order.

| file | what it is |
|---|---|
| `ledger` | what tables gain and lose, kept until the instants concerned are closed |
| `early_results` | answers emitted as soon as time reaches them, undone if they prove untrue |
| `output_order` | answers as columns, in the order in which they are printed |
| `periodic_report` | answers at marks of time, made of the changes in between |
| `emitter` | what the core asks: final or early answers, as changes in order |
"""
