"""Editing: fixes that change the text of a manifest and keep comments and layout."""
