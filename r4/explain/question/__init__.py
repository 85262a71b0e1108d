"""A question about a fact: parsed, answered from a state or a playback, why and why-not."""
