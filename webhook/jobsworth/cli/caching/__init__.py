"""The cache of results: files that have not changed are not evaluated again."""
