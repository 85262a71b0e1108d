"""Completion of commands, options and files in shells.

| file | what it is |
|---|---|
| `command` | prints the script of a shell |
| `shells` | what completes a line, shell by shell |
"""
