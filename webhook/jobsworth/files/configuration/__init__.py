"""Configuration: files, and the settings that apply to a manifest."""
