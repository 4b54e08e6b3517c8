"""Durations that users write where a number of seconds belongs."""

from __future__ import annotations

SECONDS_OF_UNITS = {
    "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800,
}  # fmt: skip


def seconds_of(text: str) -> int | None:
    """Return a duration such as ``2h`` or ``1h30m`` in seconds; None for other text.

    >>> seconds_of("2h"), seconds_of("1h30m"), seconds_of("soon"), seconds_of("h")
    (7200, 5400, None, None)
    """
    total, digits, unit = 0, "", ""
    parts: list[tuple[str, str]] = []
    for character in text.strip().lower() + "0":
        if character.isascii() and character.isdigit():
            if unit:
                parts.append((digits, unit))
                digits, unit = "", ""
            digits += character
        else:
            unit += character
    if not parts:
        return None
    for digits, unit in parts:
        if unit not in SECONDS_OF_UNITS or not digits or len(digits) > 9:
            return None
        total += int(digits) * SECONDS_OF_UNITS[unit]
    return total
