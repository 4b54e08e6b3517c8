"""Which known name was meant by one that is not known, and how sure that is."""

from __future__ import annotations

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Near(Record):
    """A known name that is near to another.

    Attributes:
        name: the known name.
        sure: nobody can have meant anything else: the same letters in another case or joined
            otherwise, or one slip in six letters and no other name as near.
    """

    name: str
    sure: bool


def fold(name: str) -> str:
    """A name without what people write differently: case, and what joins words."""
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def near(name: str, known: Iterable[str]) -> Near | None:
    """The known name that was probably meant; None where there is none, or no single one.

    >>> found = near("back_off_limit", ["backoffLimit", "completions"])
    >>> found.name, found.sure
    ('backoffLimit', True)
    >>> near("FialJob", ["FailJob", "FailIndex"]).sure, near("Ignroes", ["Ignore"]).sure
    (True, False)
    >>> near("Restart", ["Never", "OnFailure"]) is None
    True
    """
    candidates = list(dict.fromkeys(known))
    folded = fold(name)
    same = [candidate for candidate in candidates if fold(candidate) == folded]
    if same:
        return Near(same[0], True) if len(same) == 1 else None
    if len(folded) < 3:
        return None
    most = len(folded) // 3
    distances = sorted(
        (slips(folded, fold(candidate), most), candidate) for candidate in candidates
    )
    if not distances or distances[0][0] > most:
        return None
    fewest, found = distances[0]
    if len(distances) > 1 and distances[1][0] == fewest:
        return None
    return Near(found, fewest * 6 <= max(len(folded), len(fold(found))))


def slips(one: str, other: str, most: int) -> int:
    """How many letters more, less, changed or swapped with a neighbour make one word the other.

    Args:
        one: a word.
        other: another word.
        most: beyond so many it does not matter how many: `most` and one more is the answer.

    >>> slips("fialjob", "failjob", 2), slips("never", "onfailure", 2)
    (1, 3)
    """
    if abs(len(one) - len(other)) > most:
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
