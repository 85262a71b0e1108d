"""R4 connected to a spool folder: a source that resumes, a form of answers, a function."""
