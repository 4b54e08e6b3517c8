"""Kinds that contain Jobs or Pod templates: where they stand, and the objects that are created from them."""
