"""Documents that jobsworth reads and writes, declared once as classes: their JSON Schemas follow."""
