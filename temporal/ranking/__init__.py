"""How probable it is that awaited input arrives, and the k most probable entries; shared with r4/possible."""
