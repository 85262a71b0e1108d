"""What a command says to the person at the terminal: lines, progress, exit codes."""
