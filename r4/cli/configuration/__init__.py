"""Options that a file or the environment gives: the command line goes before these.

| file | what it is |
|---|---|
| `command_configuration` | a command of which options are given there |
| `environment` | those of variables of the environment |
| `toml_output` | the options in effect as such a table |
"""
