"""Editing: apply fixes to the text of a manifest, preserving comments and layout."""
