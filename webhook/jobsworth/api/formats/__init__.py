"""The grammars of Kubernetes' strings: what is wrong with a text, in the API server's own words."""
