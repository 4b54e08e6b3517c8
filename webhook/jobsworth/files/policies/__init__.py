"""Policies from files and profiles."""
