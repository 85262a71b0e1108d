"""Published streams of real observations, and the queries that are asked over them.

The streams are not shipped. In a folder, or in the folder ``streams`` of it, lie
``mesowest-linkedsensordata``, ``mesowest-csrbench`` and ``citybench-aarhus``.

| file | what it is |
|---|---|
| `sensor_queries` | which rules run on which stream, with which window |
| `rules/` | the rules, and the same as SPARQL for a store, one file a query |
| `sensor_streams` | elements of a stream, repeated until they are enough, as N-Quads |
| `mesowest` | winds of three October days in 2005, and past winds by rank |
| `csrbench` | temperatures and humidities of [CSRBench] |
| `citybench` | traffic, weather and parking of Aarhus, as [CityBench] has them |
| `sensor_answers` | what must come out, by brute force |
| `answer_tally` | answers that begin and end, as numbers that do not depend on their order |
"""
