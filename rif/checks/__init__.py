"""Is a rule document well-formed, safe, strongly safe, and within RIF-Core?"""
