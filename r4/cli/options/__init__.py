"""Options and arguments that commands share: what they mean, how rules and data are read by them."""
