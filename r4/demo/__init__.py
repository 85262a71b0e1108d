"""The demo: a year of wind at three New York airports, and the rules that watch it.

| file | what it is |
|---|---|
| `storms.rif` | classes of storm, their hierarchy, storms of a region, implausible winds |
| `classes.ttl` | the static data: classes of wind, airports |
| `weather` | the file of the reports, and what its columns mean |
| `demo_run` | reports, static data and rules run together |
| `report` | the answers read back, and written for a person |
"""
