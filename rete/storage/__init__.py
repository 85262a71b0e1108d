"""What is stored, and the algebra of rows.

| module | what is in it |
|---|---|
| `interval_sets` | sets of cells as maximal intervals, for explanations |
| `stem` | SteM: the rows that a node remembers, with a hash index for each key |
| `view` | views: scans that share the store of their relation |
| `semijoin` | many rows, grouped once for the small relations that they may meet |
| `base_table` | the base table: what is asserted, by the element that asserts it |
| `valid_time_queue` | the queue by valid time: when so much has ended that to forget it pays |
| `heirs` | the names in which facts are asserted that are to be retracted later |
| `fact_set` | facts as a set, and which rules derive them |
| `derived_facts` | a fact set that absorbs what rules derive, also rounded to ticks |
| `row_algebra` | coalesce, subtract, join and project rows that no SteM holds |
| `row_comparison` | what two sets of rows have in common, by interval or by instance |
"""
