"""Streams, graphs and published programs that are measured, and what must come out of them.

| file | what it is |
|---|---|
| `catalogue` | which rules run on which stream; the files that hold the streams |
| `rules/` | the rules, one file a query |
| `offers`, `observations`, `gales` | the streams, deterministic, with their static files |
| `offer_retractions` | offers that are retracted, and what must come out of rules that look back |
| `readings` | readings of a thousand sensors, and alarms on their aggregates |
| `single_events` | single events, their rules, and what must come out of them |
| `sensor_files` | one stream in every input format |
| `stream_terms` | event time and IRIs of the streams |
| `expected_answers` | what must come out of the rules over streams, by brute force |
| `detections` | the same answers, as peers that detect patterns tell them |
| `sizes` | how much is measured, by name |
| `graphs` | graphs that are closed, or that facts are taken back from |
| `temporal` | programs and streams with metric time |
| `sensors` | published streams of real observations, and queries over them |
"""
