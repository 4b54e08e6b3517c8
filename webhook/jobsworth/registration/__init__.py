"""Derive the registration of the webhook from the policies: the requests that must not pass without it."""
