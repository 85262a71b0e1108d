"""What is installed: wheels and their tags, the version."""
