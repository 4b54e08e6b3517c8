"""Provenance: which parts of an object a client wrote, and which the API server added."""
