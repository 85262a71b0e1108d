"""Mutated texts and files for every reader: `python -m tests.hostile_input.fuzzing [COUNT]`.

- `readers`: what reads something that is not trusted, with examples of it
- `samples`: these examples
- `mutation`: how an example is changed, from a seed
- `campaign`: processes with limits of time and memory, and what became of each input
- `coverage`: the same readers under atheris, which looks for inputs that reach new code

`corpus/READER/` has the inputs that once broke a reader; they are tests.
"""
