"""Streams: from the chunks of sources to batches of elements in the order of time.

Chunks are segmented into elements, elements are judged and buffered source by source, merged,
admitted (valid times are set, late elements found) and cut into batches.

| file | what it is |
|---|---|
| `source` | what a source is, and the options of a run that concern streams |
| `batch` | what an engine takes in at once |
| `source_buffer` | one source: read, judged, and waiting to be merged; several in one order |
| `windows` | how long elements without an end hold, by source and by predicate |
| `watermark` | the frontier of several sources, and the late bound of each element |
| `batching` | where merged elements are cut into batches |
| `input_events` | what happens to the input, one after the other: what can be recorded |
| `schedule` | which event comes next: by stamps alone, or by real time too |
| `readiness` | which sources can be read without waiting |
| `flaw_samples` | what is shown of elements that are bad, late, or hardly meant |
| `intake` | all of it together, as an iterable of batches |

Elements of one source are in `elements`.
"""
