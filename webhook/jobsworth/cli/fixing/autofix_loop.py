"""Fixes made in a file's text, one after the other, each judged before it counts.

A round makes one fix in each document and judges the file again. A fix after which its finding is
still there, or after which something is wrong that was not before, is taken back and not tried
again before another has helped. Rounds go on until there is nothing left to mend.
"""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit
from jobsworth.lint.misidentified import NEAR_MISS
from jobsworth.manifests import read_text
from jobsworth.manifests.parsing.manifest_files import shown_name
from jobsworth.record import Record
from jobsworth.reports.result import ERROR, Attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jobsworth.cli.file_evaluation import Judge
    from jobsworth.findings.finding import Finding
    from jobsworth.findings.fix import Fix
    from jobsworth.manifests import Document
    from jobsworth.reports.result import Located, Result

    Number = tuple[int, int | None]
    Key = tuple[str, ...]

MOST_ROUNDS = 200
"""A document with more to mend is made by a machine; another run goes on."""

_CANNOT_DECODE = ("JW001", "JW002")
"""While there are such findings, the server has not looked at anything else."""


class Mended(Record):
    """A file's bytes with fixes made, and what is left to be said of them."""

    data: bytes
    results: list[Result]


def mend(judge: Judge, path: str, data: bytes, *, unsafe: bool) -> Mended:
    """Make every fix that helps.

    Args:
        judge: says what is to be mended, and what is left.
        path: the file's path; of standard input ``-``.
        data: the file's bytes.
        unsafe: whether unsafe fixes are made, too.
    """
    results = judge.text(path, data)
    if not any(located.finding.fix for result in results for located in result.findings):
        return Mended(data, results)  # which mostly is no Job at all
    mending = _Mending(judge, path, data, results, unsafe=unsafe)
    for _ in range(MOST_ROUNDS):
        if not mending.round():
            break
    return mending.mended()


class _Mending:
    """A file on its way."""

    def __init__(
        self, judge: Judge, path: str, data: bytes, results: list[Result], *, unsafe: bool
    ) -> None:
        self._judge = judge
        self._path = path
        self._unsafe = unsafe
        self._data = data
        self._results = results
        self._documents = self._read(data)
        self._seen = {(number[0], each.text) for number, each in self._documents.items()}
        self._made: dict[Number, list[Attempt]] = {}
        self._refused: dict[Number, dict[Key, Attempt]] = {}

    def mended(self) -> Mended:
        for result in self._results:
            made = self._made.get(_number(result), [])
            refused = self._refused.get(_number(result), {}).values()
            result.attempts = sorted([*made, *refused], key=lambda each: each.located.line or 0)
        return Mended(self._data, self._results)

    def round(self) -> bool:
        """Make one fix in each document where there is one to make; tell whether there was."""
        chosen = self._choose()
        if not chosen:
            return False
        self._try(chosen)
        return True

    def _read(self, data: bytes) -> dict[Number, Document]:
        documents = read_text(data, shown_name(self._path))
        return {(document.index, document.item): document for document in documents}

    def _choose(self) -> dict[Number, Located]:
        """The next fix to try in each document; of a List, in one of its items.

        They are taken from the end, so that what has its turn later keeps its line.
        """
        chosen: dict[Number, Located] = {}
        taken = set()
        for result in reversed(self._results):
            if result.document in taken:
                continue
            for located in reversed(result.findings):
                fix = located.finding.fix
                if fix is None or not (fix.safe or self._unsafe):
                    continue
                if _key(located) not in self._refused.get(_number(result), {}):
                    chosen[_number(result)] = located
                    taken.add(result.document)
                    break
        return chosen

    def _try(self, chosen: dict[Number, Located]) -> None:
        """Make some fixes, and take back those that do not help."""
        data, tried = self._with(chosen)
        if not tried:
            return
        documents, results = self._read(data), self._judge.text(self._path, data)
        before, after = _by_number(self._results), _by_number(results)
        kept = {}
        for number, located in tried.items():
            if before.keys() != after.keys():
                reason = "it would change what the file holds"
            elif (number[0], documents[number].text) in self._seen:
                reason = "it would undo another fix"
            else:
                reason = _why_not(located.finding, before, after, number)
            if reason:
                self._refuse(number, located, reason)
            else:
                kept[number] = located
                self._made.setdefault(number, []).append(Attempt(located))
                self._refused.pop(number, None)  # what did not help before may help now
                self._seen.add((number[0], documents[number].text))
        if not kept:
            return
        if len(kept) < len(tried):
            data, _ = self._with(kept)
            documents, results = self._read(data), self._judge.text(self._path, data)
        self._data, self._documents, self._results = data, documents, results

    def _with(self, chosen: dict[Number, Located]) -> tuple[bytes, dict[Number, Located]]:
        """The text with some fixes, and those of them that it could take."""
        from jobsworth.manifests.editing.apply_fixes import fixed  # most files need none of it

        data, made = self._data, {}
        # From the end: what comes later moves, what comes before keeps its place.
        for number in sorted(chosen, key=lambda number: number[0], reverse=True):
            try:
                after = fixed(data, self._documents[number], _fix(chosen[number]))
            except CannotEdit as error:
                self._refuse(number, chosen[number], str(error))
                continue
            if after == data:
                self._refuse(number, chosen[number], "it changes nothing")
                continue
            data, made[number] = after, chosen[number]
        return data, made

    def _refuse(self, number: Number, located: Located, reason: str) -> None:
        self._refused.setdefault(number, {})[_key(located)] = Attempt(located, reason)


def _fix(located: Located) -> Fix:
    assert located.finding.fix is not None
    return located.finding.fix


def _number(result: Result) -> Number:
    return result.document, result.item


def _by_number(results: Iterable[Result]) -> dict[Number, Result]:
    return {_number(result): result for result in results}


def _key(located: Located) -> Key:
    finding, fix = located.finding, _fix(located)
    return (finding.code, finding.field, finding.message, fix.title)


def _why_not(
    finding: Finding, before: dict[Number, Result], after: dict[Number, Result], number: Number
) -> str:
    """Why a fix is to be taken back, after which these results are those; empty when it helps."""
    if number not in after or after[number].status == ERROR:
        return "the document could not be read any more"
    old, new = _findings(before[number]), _findings(after[number])
    if not _is_gone(finding, old, new):
        return "the finding would still be there"
    # A List's items share their text, and an anchor may join them.
    for other, result in after.items():
        if other[0] == number[0] and other in before:
            brought = _brought(_findings(before[other]), _findings(result))
            if brought is not None:
                return f"it would bring {brought.code} {brought.field}: {brought.message}"
    return ""


def _findings(result: Result) -> list[Finding]:
    return [located.finding for located in result.findings]


def _is_gone(finding: Finding, old: Sequence[Finding], new: Sequence[Finding]) -> bool:
    """Whether there is less of a finding: in its place, or in all, for positions in lists move."""

    def same(other: Finding) -> bool:
        return (other.code, other.field) == (finding.code, finding.field)

    def alike(other: Finding) -> bool:
        return (other.code, other.reason) == (finding.code, finding.reason)

    return any(sum(map(kind, new)) < sum(map(kind, old)) for kind in (same, alike))


def _brought(old: Sequence[Finding], new: Sequence[Finding]) -> Finding | None:
    """An error that was not there before; None where what is new could not be seen before."""
    if _stage(new) > _stage(old):
        return None
    known, errors = _errors(old), _errors(new)
    if _stage(new) == 1 and _stage(old) == 1 and len(errors) <= len(known):
        return None  # a field under its right name may turn out to be of the wrong type
    # Messages stay where positions move, and fields where a message counts or prints what changed.
    for part in ("message", "field"):
        for finding in errors[:]:
            key = finding.code, getattr(finding, part)
            same = next((each for each in known if (each.code, getattr(each, part)) == key), None)
            if same is not None:
                known.remove(same)
                errors.remove(finding)
    return errors[0] if errors else None


def _errors(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def _stage(findings: Sequence[Finding]) -> int:
    """How far the server has got: to know the kind, to decode the object, to judge it."""
    codes = {finding.code for finding in findings}
    if NEAR_MISS.code in codes:
        return 0
    return 1 if codes.intersection(_CANNOT_DECODE) else 2
