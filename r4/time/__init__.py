"""Time as numbers: stamps and durations as integer ticks, and how far time has come.

| file | what it is |
|---|---|
| `ticks` | one stamp, one duration or one tick at a time, exactly; how ticks are printed |
| `stamp_columns` | whole columns of stamps at once, by numpy |
| `unix_time` | numbers that count since 1970 |
| `zone_shift` | stamps that are off that by what may be the difference of two zones |
| `progress` | what is closed, what is final, and how far there is to derive |
"""
