"""faults in shards, streaming and loading"""
