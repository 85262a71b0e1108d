"""Explanations of facts of DatalogMTL models: proofs whose facts have intervals, to the data.

The search for minimal sets of data and for proofs is that of `r4.explain.justification`, over a
network that has the rows of the model. What is special here: a question is about an interval, a
model may have no end, and all is written in the notation of DatalogMTL.

| file | what it is |
|---|---|
| `explainer` | the entry: the explanation of a fact in an interval |
| `places` | where a fact far outside of the segment is explained |
| `data_sets` | a network with the rows of a model; minimal sets of data that entail the fact |
| `model_explanation` | explanations of facts of models as values: sets of data, each with a proof |
| `notation_writer` | facts, intervals, operators and rules as DatalogMTL writes them |
| `output_forms` | an explanation as lines of text, as one JSON object, and as SVG |
"""
