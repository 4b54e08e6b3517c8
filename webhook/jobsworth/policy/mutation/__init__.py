"""Mutation: apply the defaults of policies to an object."""
