"""The linter: what is valid and may still lose a night's work."""

from __future__ import annotations

from jobsworth.policy.lint.linter import RULES, lint

__all__ = ["RULES", "lint"]
