"""The grammar of editors agrees with the lexer."""
