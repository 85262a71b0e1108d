"""R4's own programs that suites start as a process each; the result types are those of the suites."""
