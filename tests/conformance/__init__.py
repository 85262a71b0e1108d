"""The W3C suites, from their manifests: `suite` reads them, `judge` says what is entailed.

`closing` closes a graph with the engine under test. `test_rdf_mt`, `test_owl2_rl` and
`test_rdfbased_sem` are a suite each. The data are not shipped: R4_TEST_DATA names their folder.
"""
