"""Facts as they arrive: input lines to slices; how late and how probable arrivals are."""
