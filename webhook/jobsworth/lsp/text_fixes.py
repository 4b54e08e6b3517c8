"""Fixes as edits of an open text, each of which is verified: it resolves its finding, and brings no error."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from jobsworth.files.fixing.autofix_loop import autofix_in_steps
from jobsworth.files.proposed_edits import line_change
from jobsworth.files.steps import Steps
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.lsp.open_text import OpenText, ShownFinding
from jobsworth.lsp.workspace_evaluator import WorkspaceEvaluator

Reported = Callable[[Result, LocatedFinding], bool]


def edit_of_fix(
    text: OpenText, workspace: WorkspaceEvaluator, shown: ShownFinding
) -> Steps[types.TextEdit | None]:
    """Return the edit of the fix of a finding; None if it does not resolve the finding, or brings another.

    Raises:
        UsageError: a configuration is wrong.
    """
    wanted = _identity(shown.result, shown.located)
    return _edit(
        text,
        workspace,
        unsafe=True,
        reported=lambda result, located: _identity(result, located) == wanted,
    )


def edit_of_safe_fixes(
    text: OpenText, workspace: WorkspaceEvaluator
) -> Steps[types.TextEdit | None]:
    """Return the edit of all safe fixes of the findings that the editor shows; None if there is none.

    Raises:
        UsageError: a configuration is wrong.
    """
    return _edit(text, workspace, unsafe=False, reported=workspace.shows)


def _identity(result: Result, located: LocatedFinding) -> tuple[object, ...]:
    finding = located.finding
    return result.document, result.item, finding.code, finding.field, finding.message


def _edit(
    text: OpenText, workspace: WorkspaceEvaluator, *, unsafe: bool, reported: Reported
) -> Steps[types.TextEdit | None]:
    before = text.data
    fixed = yield from autofix_in_steps(
        workspace.evaluator, text.path, before, unsafe=unsafe, reported=reported
    )
    if fixed.data == before:
        return None
    change = line_change(text.positions.text, fixed.data.decode("utf-8", "surrogatepass"))
    positions = text.positions
    start = positions.line_start(change.start)
    end = min(positions.line_start(change.end) + change.end_column - 1, len(positions.text))
    return types.TextEdit(positions.range(start, end), change.text)
