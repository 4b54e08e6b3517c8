"""The files around a manifest that determine what it means."""
