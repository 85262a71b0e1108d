"""A measured process: started, timed, repeated in rounds, its figures held to bounds and tabulated."""
