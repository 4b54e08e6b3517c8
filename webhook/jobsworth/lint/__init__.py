"""The linter: what is valid and may still lose a night's work."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.lint.linter import RULES, lint

__all__ = ["RULES", "lint"]


def __getattr__(name: str) -> object:
    # Every rule, with its pages of text, is more than one manifest needs: see linter.FAMILIES.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from jobsworth.lint import linter

    return getattr(linter, name)
