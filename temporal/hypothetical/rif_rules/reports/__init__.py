"""From what became of facts to reports in columns, and to values.

| file | what it is |
|---|---|
| `report_writer` | which row of evidence is shown for an entry; reports of stamps; reasons |
| `row_lists` | evidence and hypotheses of rows, in the order of their texts |
| `status_reports` | reports in columns, and as values in canonical texts and ticks |
"""
