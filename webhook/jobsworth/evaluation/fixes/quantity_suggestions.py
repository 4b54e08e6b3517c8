"""The quantities that a text with a wrong unit may mean."""

from __future__ import annotations

_SUFFIXES = {
    "k": ("k", "Ki"), "kb": ("k", "Ki"), "kib": ("Ki",), "ki": ("Ki",),
    "mb": ("M", "Mi"), "mib": ("Mi",), "mi": ("Mi",),
    "g": ("G", "Gi"), "gb": ("G", "Gi"), "gib": ("Gi",), "gi": ("Gi",),
    "t": ("T", "Ti"), "tb": ("T", "Ti"), "tib": ("Ti",), "ti": ("Ti",),
}  # fmt: skip
"""Quantity suffixes for the units that people write."""


def suggest_quantities(text: str) -> list[str]:
    """Return the quantities that a text with the unit of another notation may mean; empty for other text.

    >>> suggest_quantities("1GB"), suggest_quantities("64 mib"), suggest_quantities("lots")
    (['1G', '1Gi'], ['64Mi'], [])
    """
    text = text.strip().replace(" ", "")
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    digits = number.replace(".", "", 1)
    if not (digits.isascii() and digits.isdigit()):
        return []
    return [f"{number}{suffix}" for suffix in _SUFFIXES.get(text[len(number) :].lower(), ())]
