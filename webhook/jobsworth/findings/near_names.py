"""Suggest the known name for a misspelled one: one distance, one threshold, one wording.

Names come from manifests, so the known names bound the work: a name too long to be a typo of any of them is
not compared, and results are cached.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from jobsworth.record import Record

MAX_SURE_SLIPS = 2
MIN_ABBREVIATION = 3
"""The least number of letters of a name that is recognized by its beginning."""


class NearName(Record):
    """A known name that is near to an unknown one.

    Attributes:
        name: the known name.
        sure: True if no other meaning is likely: only case or separators differ, or one or two typos, one in
            six letters, which make no other word of it, and no other name is as near.
    """

    name: str
    sure: bool


def fold(name: str) -> str:
    """Normalize a name: remove case and word separators."""
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name that was probably meant; empty where there is no single one.

    >>> did_you_mean("back_off_limit", ["backoffLimit", "completions"])
    'did you mean "backoffLimit"?'
    >>> did_you_mean("max", ["minimum", "maximum"])
    'did you mean "maximum"?'
    """
    names = tuple(known)
    found = near(name, names)
    meant = found.name if found is not None else _abbreviated(fold(name), names)
    return f'did you mean "{meant}"?' if meant else ""


def ending_in(name: str, known: Iterable[str]) -> str:
    """Return the only name that ends in a word; empty where there is none, or no single one.

    >>> ending_in("name", ["containerName", "operator", "values"]), ending_in("path", ["hostPath", "subPath"])
    ('containerName', '')
    """
    ending = name[:1].upper() + name[1:]
    found = [each for each in dict.fromkeys(known) if each.endswith(ending)]
    return found[0] if len(found) == 1 else ""


def _abbreviated(folded: str, known: Iterable[str]) -> str:
    """Return the only name that begins with a word of some letters; empty where there is none."""
    if len(folded) < MIN_ABBREVIATION:
        return ""
    found = [name for name in dict.fromkeys(known) if fold(name).startswith(folded)]
    return found[0] if len(found) == 1 else ""


def near(name: str, known: Iterable[str]) -> NearName | None:
    """Return the known name that was probably meant; None where there is none, or no single one.

    >>> found = near("back_off_limit", ["backoffLimit", "completions"])
    >>> found.name, found.sure
    ('backoffLimit', True)
    >>> near("FialJob", ["FailJob", "FailIndex"]).sure, near("Ignroes", ["Ignore"]).sure
    (True, False)
    >>> near("serveConfig", ["serveConfigV2", "suspend"]).sure
    False
    >>> near("Restart", ["Never", "OnFailure"]) is None
    True
    """
    names, folded = tuple(known), fold(name)
    if len(folded) - _most_slips(folded) > max(map(len, names), default=0):
        return None
    return _near(folded, names)


def _most_slips(folded: str) -> int:
    """Return the maximum number of slips in a typo of a name."""
    return len(folded) // 3


@lru_cache(maxsize=1024)  # of names that are not much longer than known ones
def _near(folded: str, known: tuple[str, ...]) -> NearName | None:
    candidates: dict[str, list[str]] = {}
    for name in dict.fromkeys(known):
        candidates.setdefault(fold(name), []).append(name)
    if folded in candidates:
        same = candidates[folded]
        return NearName(same[0], True) if len(same) == 1 else None
    if len(folded) < 3:
        return None
    fewest = _most_slips(folded)
    found: list[str] = []
    for form, names in candidates.items():
        needed = slips(folded, form, fewest)
        if needed < fewest:
            fewest, found = needed, []
        if needed == fewest:
            found += names
    if len(found) != 1:
        return None
    return NearName(found[0], _is_typo(folded, fold(found[0]), fewest))


def _is_typo(one: str, other: str, slips: int) -> bool:
    """Return True if a difference is not a word of its own, such as ``disable`` for ``enable``."""
    if [each for each in one if each.isdigit()] != [each for each in other if each.isdigit()]:
        return False  # as of the next version of a field
    shorter, longer = sorted((one, other), key=len)
    negates = len(longer) - len(shorter) > 1 and longer.endswith(shorter)
    return slips <= MAX_SURE_SLIPS and slips * 6 <= len(longer) and not negates


def slips(one: str, other: str, most: int) -> int:
    """Count the letters to insert, delete, change or swap with a neighbor to turn one word into the other.

        Args:
            one: a word.
            other: another word.
    most: the maximum count that matters; a greater one is returned as `most` + 1.

        >>> slips("fialjob", "failjob", 2), slips("never", "onfailure", 2)
        (1, 3)
    """
    if abs(len(one) - len(other)) > most or _letters_apart(one, other) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, 1):
        before, last = row, before
        row = [index]
        for position, wanted in enumerate(other, 1):
            cost = min(
                before[position] + 1,
                row[position - 1] + 1,
                before[position - 1] + (letter != wanted),
            )
            if (
                index > 1
                and position > 1
                and letter == other[position - 2]
                and one[index - 2] == wanted
            ):
                cost = min(cost, last[position - 2] + 1)
            row.append(cost)
        if min(row) > most and (not before or min(before) > most):
            return most + 1
    return min(row[-1], most + 1)


def _letters_apart(one: str, other: str) -> int:
    """Return a lower bound of the slips: the letters, in any order, that only one of the words has.

    It takes a tenth of the time of counting slips, and makes most counting unnecessary.
    """
    only_other = other
    for letter in one:
        only_other = only_other.replace(letter, "", 1)
    return max(len(only_other), len(only_other) + len(one) - len(other))
