"""Apply fixes to a file's text in rounds, and validate after each.

A round applies fixes to different parts of the text and validates the file again. A fix is reverted if
its finding remains or a new error appears, and is not tried again until another fix has succeeded. If
several fixes fail together, the next rounds try fewer of them, down to one. Rounds continue until there
is nothing left to fix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.edits import CannotEdit
from jobsworth.findings.located_finding import FixAttempt
from jobsworth.findings.result import ERROR
from jobsworth.lint.misidentified import NEAR_MISS
from jobsworth.manifests import read_text
from jobsworth.manifests.parsing.manifest_files import shown_name
from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from jobsworth.files.file_evaluation import FileEvaluator
    from jobsworth.findings.finding import Finding
    from jobsworth.findings.fix import Fix
    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result
    from jobsworth.manifests import Document
    from jobsworth.manifests.editing.apply_fixes import DocumentText, FileText, TextPatch

    Number = tuple[int, int | None]
    Key = tuple[str, ...]
    Candidate = tuple[Number, LocatedFinding]

MAX_ROUNDS = 200
"""The maximum number of rounds. Only a generated document needs more."""

STOPPED = (
    f"not tried: the limit of {MAX_ROUNDS} rounds was reached; apply the other fixes with --fix, "
    "then run the command again"
)
"""The reason with which the remaining fixes are reported after the last round."""

MAX_READINGS = 10
"""The maximum number of readings of a document in a round: most fixes read some lines, some read all."""

_CANNOT_DECODE = ("JW001", "JW002")
"""Codes after which the API server checks nothing else in the object."""


class FixedFile(Record):
    """A file's bytes after fixes, and the remaining findings."""

    data: bytes
    results: list[Result]


def _all(result: Result, located: LocatedFinding) -> bool:
    return True


def autofix(
    evaluator: FileEvaluator,
    path: str,
    data: bytes,
    *,
    unsafe: bool,
    reported: Callable[[Result, LocatedFinding], bool] = _all,
) -> FixedFile:
    """Apply every fix that resolves its finding.

    Args:
        evaluator: evaluates the file before and after each fix.
        path: the file's path; ``-`` for standard input.
        data: the file's bytes.
        unsafe: apply unsafe fixes too.
        reported: returns True for a finding that the user sees; no other is fixed.
    """
    results = evaluator.text(path, data)
    if not any(located.finding.fix for result in results for located in result.findings):
        return FixedFile(data, results)  # mostly a file without a Job
    loop = _FixLoop(evaluator, path, data, results, unsafe=unsafe, reported=reported)
    for _ in range(MAX_ROUNDS):
        if not loop.round():
            break
    else:
        loop.stop()
    return loop.fixed_file()


class _Trial(Record):
    """A fix to be tried in a document or item: its finding, and the patch of the document's text."""

    number: Number
    located: LocatedFinding
    text: DocumentText
    patch: TextPatch


class _Failure(Record):
    """Trials that failed together, with the reason; ``key`` is their document or item."""

    key: int | Number
    trials: list[_Trial]
    reason: str


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
        reported: Callable[[Result, LocatedFinding], bool],
    ) -> None:
        self._reported = reported
        self._evaluator = evaluator
        self._path = path
        self._unsafe = unsafe
        self._data = data
        self._results = results
        self._documents = self._read(data)
        self._seen = {(number[0], each.text) for number, each in self._documents.items()}
        self._made: dict[Number, list[FixAttempt]] = {}
        self._rejected: dict[Number, dict[Key, FixAttempt]] = {}
        self._rejected_early: dict[Number, set[Key]] = {}
        self._limits: dict[int | Number, int] = {}

    def fixed_file(self) -> FixedFile:
        for result in self._results:
            made = self._made.get(_number(result), [])
            rejected = self._rejected.get(_number(result), {}).values()
            result.attempts = sorted([*made, *rejected], key=lambda each: each.located.line or 0)
        return FixedFile(self._data, self._results)

    def round(self) -> bool:
        """Apply some fixes in each document that has any; return False if there are none."""
        candidates = self._candidates()
        if not candidates:
            self._forget_early_rejections()
            candidates = self._candidates()
        if not candidates:
            return False
        from jobsworth.manifests.editing.apply_fixes import FileText  # most files need none of it

        file = FileText(self._data)
        self._try(file, self._trials(file, candidates))
        return True

    def stop(self) -> None:
        """Report the fixes that no round has tried."""
        for found in self._candidates().values():
            for number, located in found:
                self._reject(number, located, STOPPED)

    def _read(self, data: bytes) -> dict[Number, Document]:
        documents = read_text(data, shown_name(self._path))
        return {(document.index, document.item): document for document in documents}

    def _candidates(self) -> dict[int, list[Candidate]]:
        """Return the fixes not yet tried of each document, the last ones first.

        From the end, because the remaining ones keep their line. But fields that move into the same mapping
        come in the order of the text, which they keep.
        """
        candidates: dict[int, list[Candidate]] = {}
        for result in reversed(self._results):
            rejected = self._rejected.get(_number(result), {})
            for located in reversed(result.findings):
                fix = located.finding.fix
                if fix is None or not (fix.safe or self._unsafe) or _key(located) in rejected:
                    continue
                if located.further or not self._reported(result, located):
                    continue
                candidates.setdefault(result.document, []).append((_number(result), located))
        return {index: _with_moves_in_order(found) for index, found in candidates.items()}

    def _trials(self, file: FileText, candidates: dict[int, list[Candidate]]) -> list[_Trial]:
        """Return the patches of fixes that can be tried together."""
        trials = []
        for index, found in candidates.items():
            text = file.text_of(self._documents[found[0][0]])
            trials += self._trials_of_document(text, found, self._limits.get(index, len(found)))
        return self._checked(trials)

    def _checked(self, trials: list[_Trial]) -> list[_Trial]:
        """Return the trials of the documents that can be read with all of them, and change as meant."""
        checked = []
        for index, chosen in _by_document(trials).items():
            try:
                chosen[0].text.checked([trial.patch for trial in chosen])
            except CannotEdit as error:
                self._fail([_Failure(index, chosen, str(error))])
            else:
                checked += chosen
        return checked

    def _trials_of_document(
        self, text: DocumentText, candidates: list[Candidate], most: int
    ) -> list[_Trial]:
        """Return the patches of fixes in different parts of a document.

        Within an object they are for findings with the same code: one fix often resolves findings of
        several codes.
        """
        trials: list[_Trial] = []
        taken = _DisjointRanges()
        in_object: dict[Number, list[_Trial]] = {}
        for number, located in candidates:
            if len(trials) >= most or text.size_read > MAX_READINGS * text.size:
                break
            others = in_object.setdefault(number, [])
            if others and others[0].located.finding.code != located.finding.code:
                continue
            if len(others) >= self._limits.get(number, most):
                continue
            try:
                patch = text.patch(self._documents[number], _fix(located))
            except CannotEdit as error:
                self._reject(number, located, str(error))
                continue
            if patch.old == patch.new:
                self._reject(number, located, "it changes nothing")
            elif taken.add(patch.start, patch.end):
                trials.append(_Trial(number, located, text, patch))
                others.append(trials[-1])
        return trials

    def _try(self, file: FileText, trials: list[_Trial]) -> None:
        """Apply some fixes, and revert those that do not resolve their finding."""
        while trials:
            data = file.with_changes(trial.patch for trial in trials)
            documents, results = self._read(data), self._evaluator.text(self._path, data)
            failures = self._failures(trials, documents, results)
            if not failures:
                self._accept(trials)
                self._data, self._documents, self._results = data, documents, results
                self._seen.update(
                    (trial.number[0], documents[trial.number].text) for trial in trials
                )
                return
            self._fail(failures)
            failed = {id(trial) for failure in failures for trial in failure.trials}
            trials = self._checked([trial for trial in trials if id(trial) not in failed])

    def _failures(
        self,
        trials: list[_Trial],
        documents: dict[Number, Document],
        results: list[Result],
    ) -> list[_Failure]:
        """Return the trials that did not resolve their findings, or that changed anything else."""
        before, after = _by_number(self._results), _by_number(results)
        of_document = _by_document(trials)
        if before.keys() != after.keys():
            reason = "it would change other content of the file"
            return [_Failure(index, tried, reason) for index, tried in of_document.items()]
        numbers: dict[int, list[Number]] = {index: [] for index in of_document}
        for number in after:
            if number[0] in numbers:
                numbers[number[0]].append(number)
        failures = []
        for index, tried in of_document.items():
            if (index, documents[tried[0].number].text) in self._seen:
                failures.append(_Failure(index, tried, "it would undo another fix"))
                continue
            of_number: dict[Number, list[_Trial]] = {}
            for trial in tried:
                of_number.setdefault(trial.number, []).append(trial)
            # A List's items share their text, and an anchor may join them.
            for number in numbers[index]:
                group = of_number.get(number, [])
                reason = _reason_to_revert(group, before[number], after[number])
                if reason:
                    key = number if group else index
                    failures.append(_Failure(key, group or tried, reason))
        return failures

    def _fail(self, failures: list[_Failure]) -> None:
        """Reject each fix that failed alone; of those that failed together, try fewer."""
        for failure in failures:
            if len(failure.trials) == 1:
                (trial,) = failure.trials
                self._reject(trial.number, trial.located, failure.reason)
                self._try_more(failure.trials)
            else:
                self._limits[failure.key] = len(failure.trials) // 2

    def _accept(self, trials: list[_Trial]) -> None:
        for trial in trials:
            self._made.setdefault(trial.number, []).append(FixAttempt(trial.located))
            self._rejected_early[trial.number] = set(self._rejected.get(trial.number, ()))
        self._try_more(trials)

    def _try_more(self, trials: list[_Trial]) -> None:
        """Try more fixes together in the next round, where these were few."""
        for key in {key for trial in trials for key in (trial.number, trial.number[0])}:
            if key in self._limits:
                self._limits[key] *= 2

    def _reject(self, number: Number, located: LocatedFinding, reason: str) -> None:
        self._rejected.setdefault(number, {})[_key(located)] = FixAttempt(located, reason)
        self._rejected_early.get(number, set()).discard(_key(located))

    def _forget_early_rejections(self) -> None:
        """Forget the fixes that failed before another one of their object succeeded."""
        for number, keys in self._rejected_early.items():
            for key in keys:
                self._rejected[number].pop(key, None)
        self._rejected_early.clear()


class _DisjointRanges:
    """Ranges of a text, none of which overlaps another."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> bool:
        """Add a range, unless it overlaps another; return True if it was added."""
        from bisect import bisect_left

        index = bisect_left(self._starts, end)
        if index and self._ends[index - 1] > start:
            return False
        self._starts.insert(index, start)
        self._ends.insert(index, end)
        return True


def _fix(located: LocatedFinding) -> Fix:
    assert located.finding.fix is not None
    return located.finding.fix


def _with_moves_in_order(found: list[Candidate]) -> list[Candidate]:
    """Reverse, among the candidates, those that move a field into the same mapping."""
    places: dict[tuple[Number, str], list[int]] = {}
    for place, (number, located) in enumerate(found):
        edits = located.finding.fix.edits if located.finding.fix else ()
        if len(edits) == 1 and edits[0].action == "move":
            target = str(edits[0].value).rpartition(".")[0]
            places.setdefault((number, target), []).append(place)
    ordered = list(found)
    for moves in places.values():
        for place, other in zip(moves, reversed(moves), strict=True):
            ordered[place] = found[other]
    return ordered


def _number(result: Result) -> Number:
    return result.document, result.item


def _by_number(results: Iterable[Result]) -> dict[Number, Result]:
    return {_number(result): result for result in results}


def _by_document(trials: Iterable[_Trial]) -> dict[int, list[_Trial]]:
    found: dict[int, list[_Trial]] = {}
    for trial in trials:
        found.setdefault(trial.number[0], []).append(trial)
    return found


def _key(located: LocatedFinding) -> Key:
    finding, fix = located.finding, _fix(located)
    return (finding.code, finding.field, finding.message, fix.title)


def _reason_to_revert(trials: Sequence[_Trial], before: Result, after: Result) -> str:
    """Return the reason to revert the fixes of an object.

    Empty if each resolved its finding, and there is no new error.
    """
    if trials and after.status == ERROR:
        return "the document would become unreadable"
    old, new = _findings(before), _findings(after)
    if trials and not _are_gone([trial.located.finding for trial in trials], old, new):
        return "the finding would remain"
    new_error = _new_error(old, new)
    if new_error is not None:
        return f"it would cause {new_error.code} {new_error.field}: {new_error.message}"
    return ""


def _findings(result: Result) -> list[Finding]:
    """Return what the API server reports now: fixes of earlier errors come first."""
    return [located.finding for located in result.findings if not located.further]


def _are_gone(fixed: Sequence[Finding], old: Sequence[Finding], new: Sequence[Finding]) -> bool:
    """Return True if each finding left its field, or if there are fewer of its kind: indexes move."""
    from collections import Counter

    def gone(kind: Callable[[Finding], Key]) -> set[Key]:
        remain, goal = Counter(map(kind, new)), Counter(map(kind, old))
        goal.subtract(map(kind, fixed))
        return {key for key in map(kind, fixed) if remain[key] <= goal[key]}

    same, alike = gone(_same), gone(_alike)
    return all(_same(finding) in same or _alike(finding) in alike for finding in fixed)


def _same(finding: Finding) -> Key:
    return (finding.code, finding.field)


def _alike(finding: Finding) -> Key:
    return (finding.code, finding.reason)


def _new_error(old: Sequence[Finding], new: Sequence[Finding]) -> Finding | None:
    """Return an error that the fixes introduced; None for errors that were only hidden before."""
    errors = _errors(new)
    if not errors or _stage(new) > _stage(old):
        return None
    known = _errors(old)
    if _stage(new) == 1 and _stage(old) == 1 and len(errors) <= len(known):
        return None  # a renamed field may turn out to have the wrong type
    # Messages stay where positions move, and fields where a message counts or prints what changed.
    for part in ("message", "field"):
        waiting: dict[Key, list[int]] = {}
        for index, finding in enumerate(known):
            waiting.setdefault((finding.code, getattr(finding, part)), []).append(index)
        matched, unmatched = set(), []
        for finding in errors:
            same = waiting.get((finding.code, getattr(finding, part)))
            if same:
                matched.add(same.pop(0))
            else:
                unmatched.append(finding)
        known = [finding for index, finding in enumerate(known) if index not in matched]
        errors = unmatched
    return errors[0] if errors else None


def _errors(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def _stage(findings: Sequence[Finding]) -> int:
    """Return the stage that the API server reached: kind, decoding or validation."""
    codes = {finding.code for finding in findings}
    if NEAR_MISS.code in codes:
        return 0
    return 1 if codes.intersection(_CANNOT_DECODE) else 2
