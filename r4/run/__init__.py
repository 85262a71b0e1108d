"""The hall: a run as an object, held by each command, the library and the demo.

`StreamRun` reads documents and streams as `r4 run` does; `Run` takes in batches from anyone.
Neither knows a terminal: where answers and lines for a person go, what stops a run and what keeps
its state is handed in.

| file | what it is |
|---|---|
| `stream_run` | static data, then streams through a run, to the end of the input or a stop |
| `run` | a program that takes in batches, and reports what they change |
| `line_run` | lines of facts in a language without RDF, followed to their end |
| `inputs` | the documents of a run, and how they are opened |
| `settings` | the settings of a run |
| `run_schedule` | when its sources are read, and how the clock moves time |
| `ports` | what is handed in: reports of answers, stops |
| `driver` | the order of a step, and the end of the input |
| `single_elements` | the same step for one element, row by row |
| `static_data` | reads static data: imported graphs, documents, loaded folders |
| `reference_data` | static documents and rules as they were read last: what joins and leaves |
| `reference_reader` | reads them again: a signal asks for it, or files change |
| `run_bounds` | memory and signals: what ends a run between two steps |
| `status` | where a run is: its frontier, counts and memory, every second; as text |
| `notes` | what was left out, late, without effect or outside of a domain: samples and counts |
| `findings` | why there may be no answers: names that do not occur, bodies that never matched |
"""
