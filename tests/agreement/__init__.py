"""the engine gives what the oracle gives, on random programs and streams"""
