"""The linter: rules for valid Jobs and CronJobs that probably do not run as intended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth.lint.linter import RULES, lint

__all__ = ["RULES", "lint"]


def __getattr__(name: str) -> object:
    # Import rules lazily: other modules of this package do not need them.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from jobsworth.lint import linter

    return getattr(linter, name)
