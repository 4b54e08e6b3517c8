"""The vocabulary of JobPolicy documents: fields, codes, schema parts and problems."""
