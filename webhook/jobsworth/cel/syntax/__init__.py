"""The syntax of CEL: texts to trees."""
