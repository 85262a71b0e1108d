"""Options: each is one field of a frozen dataclass, from which all its faces are made.

The faces: the option of a command, a key of a TOML file, a variable of the environment, a keyword
of `r4.Engine`, an entry of the manifest of a state, a row of ``docs/options.md``.

| file | what it is |
|---|---|
| `option` | the field, and the options of a class |
| `shared_options` | options that commands and `Engine` share |
| `report_options` | options of reports at marks of time, and the settings that they make |
| `run_options` | options of the commands that read rules and streams, and of ``r4 run`` alone |
| `engine_options` | options of `Engine` |
| `values` | durations and sizes, as a text or a number; the memory of commands |
| `settings_file` | the options of a table of a TOML file; an option as one gives it |

No terminal is known here: ``r4/cli/options/declared_options`` makes options of click.
"""
