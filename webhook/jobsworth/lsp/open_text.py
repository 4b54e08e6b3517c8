"""A text that is open in an editor, with its findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol import types

from jobsworth.files.steps import Steps
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.lsp.text_positions import TextPositions
from jobsworth.lsp.workspace_evaluator import WorkspaceEvaluator
from jobsworth.regular_files import MAX_MANIFEST_BYTES, MIB
from jobsworth.usage_error import UsageError


@dataclass(frozen=True, slots=True)
class OpenText:
    """A version of a text.

    Attributes:
        uri: its address in the editor.
        version: its number in the editor; None if unknown.
        path: the file that it is, or will be.
        positions: the text, and positions in it.
    """

    uri: str
    version: int | None
    path: str
    positions: TextPositions

    @property
    def data(self) -> bytes:
        """The bytes of the file, if the text is saved."""
        return self.positions.text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding that the editor shows.

    Attributes:
        result: the findings of its document.
        located: the finding.
        range: the key or value that it is about.
    """

    result: Result
    located: LocatedFinding
    range: types.Range


@dataclass(frozen=True, slots=True)
class EvaluatedText:
    """A text with its findings.

    Attributes:
        text: the text.
        findings: those that the editor shows, in the order of their positions.
        problem: why there are none, such as an error in a configuration; empty if there is none.
    """

    text: OpenText
    findings: tuple[ShownFinding, ...]
    problem: str = ""


def evaluated(text: OpenText, workspace: WorkspaceEvaluator) -> Steps[EvaluatedText]:
    """Evaluate a text; one that is larger than a file may be has a problem instead."""
    data = text.data
    if len(data) > MAX_MANIFEST_BYTES:
        most = MAX_MANIFEST_BYTES // MIB
        return EvaluatedText(text, (), f"the text is larger than {most} MiB: split it into files")
    try:
        results = yield from workspace.results(text.path, data)
    except UsageError as error:
        return EvaluatedText(text, (), str(error))
    return EvaluatedText(text, tuple(_visible(text, workspace, results)))


def _visible(
    text: OpenText, workspace: WorkspaceEvaluator, results: list[Result]
) -> Iterator[ShownFinding]:
    for result in results:
        for located in result.findings:
            if workspace.shows(result, located):
                yield ShownFinding(result, located, text.positions.range_of(located))
