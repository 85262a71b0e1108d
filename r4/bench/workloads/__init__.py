"""Streams, graphs and published programs that are measured, and what must come out of them.

| file | what it is |
|---|---|
| `catalogue` | which rules run on which stream; the files that hold the streams |
| `rules/` | the rules, one file a query |
| `offers`, `observations`, `gales` | the streams, deterministic, with their static files |
| `offer_retractions` | offers that are retracted, and what must come out of rules that look back |
| `stream_terms` | event time and IRIs of the streams |
| `expected_answers` | what must come out of the rules over streams, by brute force |
| `detections` | the same answers, as peers that detect patterns tell them |
| `sizes` | how much is measured, by name |
| `university` | an ontology, and as many assertions as asked for |
| `retraction_graphs` | the graphs that facts are taken back from |
| `sumo_streams` | streams with metric time, and their answers by definition |
| `metric_programs` | published programs with metric time, where their files are there |
| `turbine_readings` | readings that come late, and the hypothetical answers that are right |
| `turbine_rdf` | the same readings as RDF, and the possible answers that are right |
"""
