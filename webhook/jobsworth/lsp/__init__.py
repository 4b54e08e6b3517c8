"""The language server: what ``jobsworth validate`` reports, in an editor while a user types."""
