"""Reaching an API server: whose, with what credentials, how fast, and what its errors mean."""
