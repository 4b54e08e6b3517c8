"""Mutation: applying the defaults of policies to an object."""
