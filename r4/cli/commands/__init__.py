"""The commands, one file each, and the two runs that several of them drive."""
