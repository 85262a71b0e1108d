"""Programs and streams with metric time that are measured, and what must come out of them.

| file | what it is |
|---|---|
| `sumo_streams` | streams with metric time, and their answers by definition |
| `metric_programs` | published programs with metric time, where their files are there |
| `turbine_readings` | readings that come late, and the hypothetical answers that are right |
| `turbine_rdf` | the same readings as RDF, and the possible answers that are right |
"""
