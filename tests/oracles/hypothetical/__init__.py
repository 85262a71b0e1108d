"""hypothetical answers to Temporal Datalog, by the definitions of [CruzFilipe22]"""
