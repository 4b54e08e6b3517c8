"""Numbers, lists, durations, times of day and values as messages write them."""

from __future__ import annotations

_UNITS = (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1))


def plural(noun: str, number: int) -> str:
    """Return a noun in the plural, unless the number is 1.

    >>> plural("file", 1), plural("file", 0), plural("index", 2), plural("policy", 2), plural("day", 2)
    ('file', 'files', 'indexes', 'policies', 'days')
    """
    if number == 1:
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("x", "s", "ch", "sh")) else f"{noun}s"


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "file"), count(2, "index")
    ('1 file', '2 indexes')
    """
    return f"{number} {plural(noun, number)}"


def listing(words: list[str] | tuple[str, ...]) -> str:
    """Join words with commas, and with "and" before the last.

    >>> listing([]), listing(["April"]), listing(["April", "June", "September"])
    ('', 'April', 'April, June and September')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


_YEAR = 365 * 86_400


def duration(seconds: int) -> str:
    """Return a duration in the largest unit that divides it.

    >>> [duration(seconds) for seconds in (0, 90, 120, 5400, 7200, 172800)]
    ['0 s', '90 s', '2 min', '90 min', '2 h', '2 d']
    """
    for unit, size in _UNITS:
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def rounded_duration(milliseconds: float) -> str:
    """Return a duration in at most two units, rounded; from two years on, in years.

    >>> [rounded_duration(each) for each in (400, 61_500, 7_200_000, 181_200_000, 2_147_483_647_000)]
    ['0.4 s', '1 min 2 s', '2 h', '2 d 2 h', '68 years']
    """
    if milliseconds >= 2 * _YEAR * 1000:
        return f"{round(milliseconds / (_YEAR * 1000)):,} years"
    if milliseconds < 10_000 and round(milliseconds) % 1000:
        return f"{round(milliseconds / 1000, 1):g} s"
    for large, small in ((_UNITS[0], _UNITS[1]), (_UNITS[1], _UNITS[2])):
        if milliseconds >= large[1] * 1000:
            return _in_units(round(milliseconds / (small[1] * 1000)), large, small)
    return _in_units(round(milliseconds / 1000), _UNITS[2], _UNITS[3])


def _in_units(number: int, large: tuple[str, int], small: tuple[str, int]) -> str:
    """Return a number of small units as large and small ones."""
    whole, rest = divmod(number, large[1] // small[1])
    parts = [f"{whole} {large[0]}"] if whole else []
    return " ".join([*parts, f"{rest} {small[0]}"] if rest or not whole else parts)


def clock(minute: int) -> str:
    """Return a minute of the day as hours and minutes.

    >>> clock(150)
    '02:30'
    """
    return f"{minute // 60:02}:{minute % 60:02}"


def value_text(value: object, unset: str = "unset") -> str:
    """Return a value as a manifest writes it, without quotes.

    >>> value_text(True), value_text(5), value_text("a"), value_text(None)
    ('true', '5', 'a', 'unset')
    """
    if value is None:
        return unset
    return str(value).lower() if isinstance(value, bool) else str(value)


def one_line(text: str) -> str:
    """Return a text without line breaks, which the API server accepts in no message of a policy."""
    return " ".join(text.split())


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters.

    >>> shortened("a long text", 6)
    'a lon…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def in_json(value: object, unset: str = "unset") -> str:
    """Return a value as JSON; a word for None.

    >>> in_json("a"), in_json({"b": 1}), in_json(None)
    ('"a"', '{"b": 1}', 'unset')
    """
    import json  # which a run of validate does not need

    return unset if value is None else json.dumps(value, ensure_ascii=False)
