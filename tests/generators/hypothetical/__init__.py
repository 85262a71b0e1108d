"""queries of Temporal Datalog, and worlds for possible answers"""
