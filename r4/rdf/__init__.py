"""RDF documents in: what format a file has, and its statements as chunks of ids"""
