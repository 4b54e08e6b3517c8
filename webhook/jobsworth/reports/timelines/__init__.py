"""Reports of simulations: text, JSON, an HTML page, a picture."""
