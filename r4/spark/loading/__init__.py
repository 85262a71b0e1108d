"""Bulk loading: files of RDF → Parquet with global ids, and the same for memory mapping.

Four stages, each of independent units. A unit reads files and writes files; what is told of it is
some numbers. Spark starts the units (`r4.spark.loading.spark_units`), as a loop can (`Here`): nothing
here imports it.

| file | what it is |
|---|---|
| `inputs` | the files that are named, and how they are split |
| `work` | where units leave what other units take up |
| `reading` | stage 1: a split, to portions with ids of their own |
| `portions` | a portion: its rows, and its distinct terms by their hashes |
| `merging` | stage 2: the terms of a bucket of hashes, from all portions, each once |
| `wording` | canonical texts as lexical form, datatype, language |
| `naming` | stage 3: the terms of a bucket under their global ids |
| `rewriting` | stage 3: a portion with global ids, by predicate |
| `parting` | stage 4: the triples of predicates, from all portions |
| `stages` | the stages by name, as units are started |
| `loader` | all of it, in order, from files to `_SUCCESS` |
| `job` | units as a Spark job |
| `cells` | the texts of terms in the columns of a DataFrame |
| `frames` | statements of a DataFrame, in place of files; what is loaded as DataFrames |
| `elements` | statements with times, as the file of a stream |
| `streams` | those of a DataFrame, as such files |
"""
