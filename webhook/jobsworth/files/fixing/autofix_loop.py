"""Apply fixes to a file's text in rounds, and validate after each.

A round applies fixes to disjoint parts of the text and validates the file again. Fixes that fail, because a
finding remains or a new error appears, are reverted and tried again by halves, down to the single one that is
rejected. A rejected fix gets another chance when others of its object have succeeded. Rounds continue until
nothing is left to fix. Findings that an error hides from the API server come last: what is still hidden then
is behind an error without a fix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.fixing.fix_verdict import reason_to_revert
from jobsworth.files.separators import is_separation, with_separators
from jobsworth.files.steps import Steps, result_of_steps
from jobsworth.findings.edits import CannotEdit
from jobsworth.findings.fix import Fix
from jobsworth.findings.located_finding import FixAttempt, LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.manifests import Document, read_text
from jobsworth.manifests.editing.apply_fixes import DocumentText, FileText, TextPatch
from jobsworth.record import Record

Number = tuple[int, int | None]
Candidate = tuple[Number, LocatedFinding]
Failures = list[tuple[list["_Trial"], str]]
K = TypeVar("K")

MAX_ROUNDS = 200
"""The maximum number of validations. Only a generated document needs more."""

STOPPED = (
    f"not tried: the limit of {MAX_ROUNDS} rounds was reached; apply the other fixes with --fix, "
    "then run the command again"
)
"""The reason with which the remaining fixes are reported after the last round."""

MAX_READINGS = 10
"""The maximum number of readings of a document in a round: most fixes read some lines, some read all."""


class FixedFile(Record):
    """A file's bytes before and after fixes, and the remaining findings."""

    before: bytes
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
    return result_of_steps(
        autofix_in_steps(evaluator, path, data, unsafe=unsafe, reported=reported)
    )


def autofix_in_steps(
    evaluator: FileEvaluator,
    path: str,
    data: bytes,
    *,
    unsafe: bool,
    reported: Callable[[Result, LocatedFinding], bool] = _all,
) -> Steps[FixedFile]:
    """Do the same in steps of one document each."""
    results = yield from evaluator.text_in_steps(path, data)
    if not any(located.finding.fix for result in results for located in result.findings):
        return FixedFile(data, data, results)  # mostly a file without a Job

    def wanted(result: Result, located: LocatedFinding) -> bool:
        fix = located.finding.fix
        offered = fix is not None and (fix.safe or unsafe) and not is_separation(located)
        return offered and reported(result, located)

    announced = Counter(
        _kind(located)
        for result in results
        for located in result.findings
        if wanted(result, located)
    )
    separated = with_separators(evaluator.name(path), data, results, reported)
    if separated.data != data:
        results = yield from evaluator.text_in_steps(path, separated.data)
    loop = _FixLoop(evaluator, path, separated.data, results, wanted)
    loop.add_announced(announced)
    loop.add_made(separated.attempts)
    while candidates := loop.candidates():
        if loop.rounds_left:
            yield from loop.round(candidates)
        else:
            for number, located in candidates:
                loop.reject(number, located, STOPPED)
    return FixedFile(data, loop.data, loop.finished())


class _Trial(Record):
    """A fix to be tried in a document or item: its finding, and the patch of the document's text."""

    number: Number
    located: LocatedFinding
    text: DocumentText
    patch: TextPatch


class _FixLoop:
    """A file between rounds of fixes.

    Attributes:
        data: its bytes after the fixes that succeeded.
        rounds_left: how often it may still be validated.
    """

    def __init__(
        self,
        evaluator: FileEvaluator,
        path: str,
        data: bytes,
        results: list[Result],
        wanted: Callable[[Result, LocatedFinding], bool],
    ) -> None:
        self._evaluator = evaluator
        self._path = path
        self._wanted = wanted
        self._announced: Counter[Hashable] = Counter()
        self.data = data
        self._results = results
        self._documents = self._read(data)
        self._seen = {(number[0], each.text) for number, each in self._documents.items()}
        self._made: dict[Number, list[FixAttempt]] = {}
        self._rejected: dict[Number, dict[Hashable, FixAttempt]] = {}
        self._improved: set[Number] = set()  # objects with a fix since rejected ones were tried
        self.rounds_left = MAX_ROUNDS

    def add_announced(self, announced: Counter[Hashable]) -> None:
        """Tell the fixes of the findings before all fixes from those that others make possible."""
        self._announced += announced

    def add_made(self, attempts: dict[Number, list[FixAttempt]]) -> None:
        """Report fixes that were made before the first round."""
        self._made.update(attempts)

    def finished(self) -> list[Result]:
        """Return the remaining findings, with the attempts to fix them."""
        return [result.replace(attempts=self._attempts(result)) for result in self._results]

    def _attempts(self, result: Result) -> list[FixAttempt]:
        made = self._made.get(_place_of(result), [])
        rejected = self._rejected.get(_place_of(result), {}).values()
        return sorted([*made, *rejected], key=lambda each: each.located.line or 0)

    def candidates(self) -> list[Candidate]:
        """Return the fixes to be tried, the last ones first: the others keep their line.

        Once there are none, those are tried again that failed before another one of their object succeeded;
        then those of hidden findings.
        """
        found = self._untried()
        if not found and self.rounds_left:
            for number in self._improved:
                self._rejected.pop(number, None)
            self._improved.clear()
            found = self._untried()
        return found or self._untried(hidden=True)

    def _untried(self, *, hidden: bool = False) -> list[Candidate]:
        found = [
            (number, located)
            for result in reversed(self._results)
            for number in (_place_of(result),)
            for located in reversed(result.findings)
            if located.further == hidden and self._wanted(result, located)
            if _key(located) not in self._rejected.get(number, ())
        ]
        return _with_moves_in_order(found)

    def round(self, candidates: list[Candidate]) -> Steps[None]:
        """Try fixes of different parts of the text; keep those that succeed, and reject the others."""
        from jobsworth.manifests.editing.apply_fixes import FileText  # most files need none of it

        file = FileText(self.data)
        before = {_place_of(result): result for result in self._results}
        kept: list[_Trial] = []
        pending = [self._trials(file, candidates)]
        while pending:
            trials = pending.pop()
            failures = self._uneditable(kept, trials)
            if not failures and trials:
                if not self.rounds_left:
                    return
                self.rounds_left -= 1
                data = file.with_changes(trial.patch for trial in (*kept, *trials))
                documents = self._read(data)
                results = yield from self._evaluator.text_in_steps(self._path, data)
                after = {_place_of(result): result for result in results}
                failures = self._failures(kept, trials, documents, before, after)
                if not failures:
                    kept += trials
                    self.data, self._documents, self._results = data, documents, results
                    self._accept(trials)
            if failures:
                failed = {id(trial) for those, _ in failures for trial in those}
                others = [trial for trial in trials if id(trial) not in failed]
                pending += (*reversed(self._halves(failures)), others)

    def _trials(self, file: FileText, candidates: list[Candidate]) -> list[_Trial]:
        """Return the patches of fixes in different parts of the file.

        Within an object they are for findings with the same code: one fix often resolves findings of
        several codes.
        """
        trials: list[_Trial] = []
        texts: dict[int, DocumentText] = {}
        taken: dict[int, _DisjointRanges] = {}
        codes: dict[Number, str] = {}
        for number, located in candidates:
            index = number[0]
            if index not in texts:
                texts[index] = file.text_of(self._documents[number])
                taken[index] = _DisjointRanges()
            text, code = texts[index], located.finding.code
            if codes.get(number, code) != code or text.size_read > MAX_READINGS * text.size:
                continue
            try:
                patch = text.patch(self._documents[number], _fix(located))
            except CannotEdit as error:
                self.reject(number, located, str(error))
                continue
            if patch.old == patch.new:
                self.reject(number, located, "it changes nothing")
            elif taken[index].add(patch.start, patch.end):
                codes[number] = code
                trials.append(_Trial(number, located, text, patch))
        return trials

    def _uneditable(self, kept: list[_Trial], trials: list[_Trial]) -> Failures:
        """Return the trials whose document cannot be read with all of them, or changes otherwise."""
        failures: Failures = []
        earlier = _by(_document, kept)
        for index, tried in _by(_document, trials).items():
            try:
                tried[0].text.checked([each.patch for each in (*earlier.get(index, ()), *tried)])
            except CannotEdit as error:
                failures.append((tried, str(error)))
        return failures

    def _failures(
        self,
        kept: list[_Trial],
        trials: list[_Trial],
        documents: dict[Number, Document],
        before: dict[Number, Result],
        after: dict[Number, Result],
    ) -> Failures:
        """Return the trials that did not resolve their findings, or that changed anything else."""
        of_document, of_object = _by(_document, trials), _by(_object, trials)
        if before.keys() != after.keys():
            reason = "it would change other content of the file"
            return [(tried, reason) for tried in of_document.values()]
        undoing = {
            index
            for index, tried in of_document.items()
            if (index, documents[tried[0].number].text) in self._seen
        }
        failures: Failures = [
            (of_document[index], "it would undo another fix") for index in undoing
        ]
        applied = _by(_object, [*kept, *trials])
        for number, result in after.items():
            # A List's items share their text, and an anchor may join them.
            if number[0] in of_document and number[0] not in undoing:
                fixed = [each.located for each in applied.get(number, ())]
                reason = reason_to_revert(fixed, before[number], result)
                if reason:
                    failures.append((of_object.get(number) or of_document[number[0]], reason))
        return failures

    def _halves(self, failures: Failures) -> tuple[list[_Trial], list[_Trial]]:
        """Reject each fix that failed alone; divide those that failed together."""
        divided: set[int] = set()
        halves: tuple[list[_Trial], list[_Trial]] = [], []
        for trials, reason in sorted(failures, key=lambda failure: len(failure[0])):
            left = [trial for trial in trials if id(trial) not in divided]
            divided.update(map(id, left))
            if len(trials) == 1 and left:
                self.reject(left[0].number, left[0].located, reason)
            else:
                middle = (len(left) + 1) // 2
                halves[0].extend(left[:middle])
                halves[1].extend(left[middle:])
        return halves

    def _accept(self, trials: list[_Trial]) -> None:
        for trial in trials:
            kind = _kind(trial.located)
            unlocked = self._announced[kind] == 0
            self._announced[kind] -= not unlocked
            attempt = FixAttempt(trial.located, unlocked=unlocked)
            self._made.setdefault(trial.number, []).append(attempt)
            self._improved.add(trial.number)
            self._seen.add((trial.number[0], self._documents[trial.number].text))

    def reject(self, number: Number, located: LocatedFinding, reason: str) -> None:
        """Do not try a fix again, for a reason that is reported."""
        self._rejected.setdefault(number, {})[_key(located)] = FixAttempt(located, reason)

    def _read(self, data: bytes) -> dict[Number, Document]:
        documents = read_text(data, self._evaluator.name(self._path))
        return {(document.index, document.item): document for document in documents}


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
    """Reverse, among the candidates, those that move a field into the same mapping: they keep their order."""
    places: dict[tuple[Number, str], list[int]] = {}
    for place, (number, located) in enumerate(found):
        edits = _fix(located).edits
        if len(edits) == 1 and edits[0].action == "move":
            target = str(edits[0].value).rpartition(".")[0]
            places.setdefault((number, target), []).append(place)
    ordered = list(found)
    for moves in places.values():
        for place, other in zip(moves, reversed(moves), strict=True):
            ordered[place] = found[other]
    return ordered


def _place_of(result: Result) -> Number:
    return result.document, result.item


def _document(trial: _Trial) -> int:
    return trial.number[0]


def _object(trial: _Trial) -> Number:
    return trial.number


def _by(key: Callable[[_Trial], K], trials: Iterable[_Trial]) -> dict[K, list[_Trial]]:
    found: dict[K, list[_Trial]] = {}
    for trial in trials:
        found.setdefault(key(trial), []).append(trial)
    return found


def _kind(located: LocatedFinding) -> Hashable:
    """Return what a fix keeps while other fixes move its field, by which it is counted."""
    return located.finding.code, _fix(located).title


def _key(located: LocatedFinding) -> Hashable:
    finding, fix = located.finding, _fix(located)
    return (finding.code, finding.field, finding.message, fix.title)
