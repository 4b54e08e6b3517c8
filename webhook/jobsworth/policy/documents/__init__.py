"""JobPolicy documents: the schema, its errors, and conflicts between documents."""
