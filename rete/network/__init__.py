"""Networks and layers of them: who feeds whom, in which order, how far back in time."""
