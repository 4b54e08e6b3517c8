"""JobPolicy documents: schema, reader, and the set of policies that apply together."""
