"""The actions that an editor offers: verified fixes, all safe fixes, an explanation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from lsprotocol import types

from jobsworth.files.fixing.autofix_loop import autofix_in_steps
from jobsworth.files.proposed_edits import line_change
from jobsworth.files.steps import Steps
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.lsp.diagnostics import diagnostic
from jobsworth.lsp.failure_policy import has_failure_policy
from jobsworth.lsp.open_text import EvaluatedText, OpenText, ShownFinding
from jobsworth.lsp.workspace_evaluator import WorkspaceEvaluator
from jobsworth.printable import printable

EXPLAIN = "jobsworth.explain"
"""The command that shows the explanation of a text; its argument is the address."""

QUICK_FIX = types.CodeActionKind.QuickFix.value
UNSAFE = f"{QUICK_FIX}.unsafe"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.jobsworth"
KINDS = (QUICK_FIX, UNSAFE, FIX_ALL)

MAX_FIXES = 20
"""The maximum number of fixes that are verified for one request."""

Reported = Callable[[Result, LocatedFinding], bool]


def code_actions(
    evaluated: EvaluatedText, workspace: WorkspaceEvaluator, params: types.CodeActionParams
) -> Steps[list[types.CodeAction]]:
    """Return the actions at a range of a text.

    Raises:
        UsageError: a configuration is wrong.
    """
    only = params.context.only
    actions: list[types.CodeAction] = []
    if _wants(only, QUICK_FIX) or _wants(only, UNSAFE):
        at_range = [each for each in evaluated.findings if _overlap(each.range, params.range)]
        for shown in at_range[:MAX_FIXES]:
            fix = yield from _fix(evaluated.text, workspace, shown, only)
            actions += [] if fix is None else [fix]
    if _wants(only, FIX_ALL) and any(_is_safe(each) for each in evaluated.findings):
        title = "Apply all safe fixes (jobsworth)"
        actions.append(types.CodeAction(title, kind=FIX_ALL, data=evaluated.text.uri))
    if only is None and has_failure_policy(evaluated.text):
        command = types.Command(
            "Explain this failure policy", EXPLAIN, arguments=[evaluated.text.uri]
        )
        actions.append(types.CodeAction(command.title, command=command))
    return actions


def with_all_safe_fixes(
    action: types.CodeAction, text: OpenText, workspace: WorkspaceEvaluator
) -> Steps[types.CodeAction]:
    """Return the action of all safe fixes with its edit, which may be empty.

    Raises:
        UsageError: a configuration is wrong.
    """
    edit = yield from edit_of_safe_fixes(text, workspace)
    completed = copy(action)
    completed.edit = _workspace_edit(text, [] if edit is None else [edit])
    return completed


def _fix(
    text: OpenText,
    workspace: WorkspaceEvaluator,
    shown: ShownFinding,
    only: Sequence[types.CodeActionKind | str] | None,
) -> Steps[types.CodeAction | None]:
    finding = shown.located.finding
    fix = finding.fix
    if fix is None or not _wants(only, QUICK_FIX if fix.safe else UNSAFE):
        return None
    edit = yield from edit_of_fix(text, workspace, shown)
    if edit is None:
        return None
    title = f"{fix.title} ({finding.code})" if fix.safe else f"{fix.title} ({finding.code}, unsafe)"
    return types.CodeAction(
        printable(title),
        kind=QUICK_FIX if fix.safe else UNSAFE,
        diagnostics=[diagnostic(shown)],
        is_preferred=fix.safe or None,
        edit=_workspace_edit(text, [edit]),
    )


def _workspace_edit(text: OpenText, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
    return types.WorkspaceEdit(changes={text.uri: edits})


def _is_safe(shown: ShownFinding) -> bool:
    fix = shown.located.finding.fix
    return fix is not None and fix.safe


def _wants(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    """Return True if a client wants actions of a kind: it names the kind or one above it, or none."""
    if only is None:
        return True
    named = [str(each.value if isinstance(each, types.CodeActionKind) else each) for each in only]
    return any(each in ("", kind) or kind.startswith(f"{each}.") for each in named)


def _overlap(one: types.Range, other: types.Range) -> bool:
    def place(position: types.Position) -> tuple[int, int]:
        return position.line, position.character

    return place(one.start) <= place(other.end) and place(other.start) <= place(one.end)


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
