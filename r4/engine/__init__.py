"""The core: batches in, derivation, changes out, in ids and ticks"""
