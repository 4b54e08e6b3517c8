"""Apply fixes to a file's text one after the other, and validate after each.

A round applies one fix in each document and validates the file again. A fix is reverted if its finding
remains or a new error appears, and is not tried again until another fix has succeeded. Rounds continue
until there is nothing left to fix.
"""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit
from jobsworth.lint.misidentified import NEAR_MISS
from jobsworth.manifests import read_text
from jobsworth.manifests.parsing.manifest_files import shown_name
from jobsworth.record import Record
from jobsworth.reports.result import ERROR, FixAttempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jobsworth.cli.file_evaluation import FileEvaluator
    from jobsworth.findings.finding import Finding
    from jobsworth.findings.fix import Fix
    from jobsworth.manifests import Document
    from jobsworth.reports.result import LocatedFinding, Result

    Number = tuple[int, int | None]
    Key = tuple[str, ...]

MOST_ROUNDS = 200
"""The maximum number of rounds. Only a generated document needs more; another run continues."""

_CANNOT_DECODE = ("JW001", "JW002")
"""Codes after which the API server checks nothing else in the object."""


class FixedFile(Record):
    """A file's bytes after fixes, and the remaining findings."""

    data: bytes
    results: list[Result]


def autofix(evaluator: FileEvaluator, path: str, data: bytes, *, unsafe: bool) -> FixedFile:
    """Apply every fix that resolves its finding.

    Args:
        evaluator: evaluates the file before and after each fix.
        path: the file's path; ``-`` for standard input.
        data: the file's bytes.
        unsafe: apply unsafe fixes too.
    """
    results = evaluator.text(path, data)
    if not any(located.finding.fix for result in results for located in result.findings):
        return FixedFile(data, results)  # mostly a file without a Job
    loop = _FixLoop(evaluator, path, data, results, unsafe=unsafe)
    for _ in range(MOST_ROUNDS):
        if not loop.round():
            break
    return loop.fixed_file()


class _FixLoop:
    """A file between rounds of fixes."""

    def __init__(
        self,
        evaluator: FileEvaluator,
        path: str,
        data: bytes,
        results: list[Result],
        *,
        unsafe: bool,
    ) -> None:
        self._evaluator = evaluator
        self._path = path
        self._unsafe = unsafe
        self._data = data
        self._results = results
        self._documents = self._read(data)
        self._seen = {(number[0], each.text) for number, each in self._documents.items()}
        self._made: dict[Number, list[FixAttempt]] = {}
        self._rejected: dict[Number, dict[Key, FixAttempt]] = {}

    def fixed_file(self) -> FixedFile:
        for result in self._results:
            made = self._made.get(_number(result), [])
            rejected = self._rejected.get(_number(result), {}).values()
            result.attempts = sorted([*made, *rejected], key=lambda each: each.located.line or 0)
        return FixedFile(self._data, self._results)

    def round(self) -> bool:
        """Apply one fix in each document that has one; return False if there is none."""
        chosen = self._choose()
        if not chosen:
            return False
        self._try(chosen)
        return True

    def _read(self, data: bytes) -> dict[Number, Document]:
        documents = read_text(data, shown_name(self._path))
        return {(document.index, document.item): document for document in documents}

    def _choose(self) -> dict[Number, LocatedFinding]:
        """Return the next fix to try in each document; for a List, in one of its items.

        Fixes are taken from the end, so that the remaining ones keep their line.
        """
        chosen: dict[Number, LocatedFinding] = {}
        taken = set()
        for result in reversed(self._results):
            if result.document in taken:
                continue
            for located in reversed(result.findings):
                fix = located.finding.fix
                if fix is None or not (fix.safe or self._unsafe):
                    continue
                if _key(located) not in self._rejected.get(_number(result), {}):
                    chosen[_number(result)] = located
                    taken.add(result.document)
                    break
        return chosen

    def _try(self, chosen: dict[Number, LocatedFinding]) -> None:
        """Apply some fixes, and revert those that do not resolve their finding."""
        data, tried = self._with(chosen)
        if not tried:
            return
        documents, results = self._read(data), self._evaluator.text(self._path, data)
        before, after = _by_number(self._results), _by_number(results)
        kept = {}
        for number, located in tried.items():
            if before.keys() != after.keys():
                reason = "it would change other content of the file"
            elif (number[0], documents[number].text) in self._seen:
                reason = "it would undo another fix"
            else:
                reason = _reason_to_revert(located.finding, before, after, number)
            if reason:
                self._reject(number, located, reason)
            else:
                kept[number] = located
                self._made.setdefault(number, []).append(FixAttempt(located))
                self._rejected.pop(number, None)  # a fix that failed before may succeed now
                self._seen.add((number[0], documents[number].text))
        if not kept:
            return
        if len(kept) < len(tried):
            data, _ = self._with(kept)
            documents, results = self._read(data), self._evaluator.text(self._path, data)
        self._data, self._documents, self._results = data, documents, results

    def _with(
        self, chosen: dict[Number, LocatedFinding]
    ) -> tuple[bytes, dict[Number, LocatedFinding]]:
        """Return the text with some fixes, and those that could be applied."""
        from jobsworth.manifests.editing.apply_fixes import fixed  # most files need none of it

        data, made = self._data, {}
        # From the end, because a fix moves the text after it.
        for number in sorted(chosen, key=lambda number: number[0], reverse=True):
            try:
                after = fixed(data, self._documents[number], _fix(chosen[number]))
            except CannotEdit as error:
                self._reject(number, chosen[number], str(error))
                continue
            if after == data:
                self._reject(number, chosen[number], "it changes nothing")
                continue
            data, made[number] = after, chosen[number]
        return data, made

    def _reject(self, number: Number, located: LocatedFinding, reason: str) -> None:
        self._rejected.setdefault(number, {})[_key(located)] = FixAttempt(located, reason)


def _fix(located: LocatedFinding) -> Fix:
    assert located.finding.fix is not None
    return located.finding.fix


def _number(result: Result) -> Number:
    return result.document, result.item


def _by_number(results: Iterable[Result]) -> dict[Number, Result]:
    return {_number(result): result for result in results}


def _key(located: LocatedFinding) -> Key:
    finding, fix = located.finding, _fix(located)
    return (finding.code, finding.field, finding.message, fix.title)


def _reason_to_revert(
    finding: Finding, before: dict[Number, Result], after: dict[Number, Result], number: Number
) -> str:
    """Return the reason to revert a fix; empty if it resolved its finding without a new error."""
    if number not in after or after[number].status == ERROR:
        return "the document would become unreadable"
    old, new = _findings(before[number]), _findings(after[number])
    if not _is_gone(finding, old, new):
        return "the finding would remain"
    # A List's items share their text, and an anchor may join them.
    for other, result in after.items():
        if other[0] == number[0] and other in before:
            new_error = _new_error(_findings(before[other]), _findings(result))
            if new_error is not None:
                return f"it would cause {new_error.code} {new_error.field}: {new_error.message}"
    return ""


def _findings(result: Result) -> list[Finding]:
    return [located.finding for located in result.findings]


def _is_gone(finding: Finding, old: Sequence[Finding], new: Sequence[Finding]) -> bool:
    """Return True if a finding left its field, or if there are fewer of its kind: list indexes move."""

    def same(other: Finding) -> bool:
        return (other.code, other.field) == (finding.code, finding.field)

    def alike(other: Finding) -> bool:
        return (other.code, other.reason) == (finding.code, finding.reason)

    return any(sum(map(kind, new)) < sum(map(kind, old)) for kind in (same, alike))


def _new_error(old: Sequence[Finding], new: Sequence[Finding]) -> Finding | None:
    """Return an error that the fix introduced; None for errors that were only hidden before."""
    if _stage(new) > _stage(old):
        return None
    known, errors = _errors(old), _errors(new)
    if _stage(new) == 1 and _stage(old) == 1 and len(errors) <= len(known):
        return None  # a renamed field may turn out to have the wrong type
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
    """Return the stage that the API server reached: kind, decoding or validation."""
    codes = {finding.code for finding in findings}
    if NEAR_MISS.code in codes:
        return 0
    return 1 if codes.intersection(_CANNOT_DECODE) else 2
