"""Bulk loading: files of RDF to Parquet with global ids, and the same for memory mapping.

Four stages, each of independent units. A unit reads files, writes files, and reports some numbers.
Spark starts the units; only its sessions and DataFrames, which `stages`, `dataframes` and
`stream_files` are given, know it.

| file | what it is |
|---|---|
| `inputs` | the files that are named, and how they are split |
| `work_folder` | where units leave what other units take up |
| `split_reader` | stage 1: a split, to portions with ids of their own |
| `portions` | a portion: its rows, and its distinct terms by their hashes |
| `term_buckets` | stages 2 and 3: the terms of a range of hashes, each once, under global ids |
| `predicate_parts` | stages 3 and 4: portions with global ids, and the triples of a predicate |
| `term_columns` | canonical texts as columns: kind, lexical form, datatype, language |
| `stages` | the stages by name, and their units as a Spark job |
| `loader` | all of it in order, from files to `_SUCCESS` |
| `dataframes` | a DataFrame in place of files; what is loaded, as DataFrames |
| `stream_files` | statements with times, as the files of a stream |
"""
