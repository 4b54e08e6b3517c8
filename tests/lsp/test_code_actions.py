"""Quick fixes resolve their finding, safe and unsafe ones apart; all safe fixes together; an explanation."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from jobsworth.files.steps import result_of_steps
from jobsworth.lsp.code_actions import FIX_ALL, code_actions, with_all_safe_fixes
from jobsworth.lsp.open_text import EvaluatedText, evaluated
from support.cli.command_runs import Validate
from support.editors.open_texts import open_text, with_edits, workspace

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples/invalid").glob("*.yaml"))
EVERYWHERE = types.Range(types.Position(0, 0), types.Position(10_000, 0))


def opened(path: Path) -> EvaluatedText:
    return result_of_steps(evaluated(open_text(path.read_text("utf-8"), str(path)), workspace()))


def offered(
    text: EvaluatedText, *, at: types.Range = EVERYWHERE, only: list[str] | None = None
) -> list[types.CodeAction]:
    context = types.CodeActionContext([], only=only)
    params = types.CodeActionParams(types.TextDocumentIdentifier(text.text.uri), at, context)
    return result_of_steps(code_actions(text, workspace(), params))


def edited(text: EvaluatedText, action: types.CodeAction) -> str:
    assert action.edit is not None
    assert action.edit.changes is not None
    return with_edits(text.text, list(action.edit.changes[text.text.uri]))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_quick_fix_resolves_its_finding_and_brings_no_error(path: Path) -> None:
    before = opened(path)
    for action in offered(before, only=["quickfix"]):
        assert action.diagnostics is not None
        (resolved,) = action.diagnostics
        after = result_of_steps(
            evaluated(open_text(edited(before, action), str(path)), workspace())
        )
        left = [(each.located.finding.code, each.located.finding.field) for each in after.findings]
        had = [(each.located.finding.code, each.located.finding.field) for each in before.findings]
        assert len([code for code, _ in left if code == resolved.code]) < len(
            [code for code, _ in had if code == resolved.code]
        )
        errors = [each for each in after.findings if each.located.finding.severity == "error"]
        known = [each for each in before.findings if each.located.finding.severity == "error"]
        assert len(errors) <= len(known)


@pytest.mark.slow
def test_most_mistakes_that_have_a_fix_have_a_quick_fix() -> None:
    fixable = [
        path for path in EXAMPLES if any(each.located.finding.fix for each in opened(path).findings)
    ]
    without = [path.stem for path in fixable if not offered(opened(path), only=["quickfix"])]
    assert without == []
    assert len(fixable) > 10


def test_safe_and_unsafe_fixes_differ_in_title_and_kind() -> None:
    kinds = {}
    for path in EXAMPLES:
        for action in offered(opened(path), only=["quickfix"]):
            unsafe = action.kind == "quickfix.unsafe"
            assert ("unsafe)" in action.title) is unsafe
            assert bool(action.is_preferred) is not unsafe
            kinds[action.kind] = action
    assert kinds.keys() == {"quickfix", "quickfix.unsafe"}


def test_only_the_findings_at_the_cursor_have_a_fix() -> None:
    text = opened(ROOT / "examples/invalid/exit-codes-not-sorted.yaml")
    (line,) = {
        each.range.start.line for each in text.findings if each.located.finding.code == "JW004"
    }
    here = types.Range(types.Position(line, 12), types.Position(line, 12))
    elsewhere = types.Range(types.Position(0, 0), types.Position(0, 0))
    assert [each.title for each in offered(text, at=here, only=["quickfix"])] == [
        "Sort the exit codes (JW004)"
    ]
    assert offered(text, at=elsewhere, only=["quickfix"]) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_safe_fixes_are_those_of_the_command_line(path: Path, validate: Validate) -> None:
    before = opened(path)
    actions = offered(before, only=["source.fixAll"])
    text = before.text.positions.text
    if actions:
        (action,) = actions
        assert action.kind == FIX_ALL
        fixed = result_of_steps(with_all_safe_fixes(action, before.text, workspace()))
        text = edited(before, fixed)
    validate("--fix", "--info", path.name, files={path.name: path.read_text("utf-8")})
    assert Path(path.name).read_text("utf-8") == text


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (["quickfix"], {"quickfix", "quickfix.unsafe"}),
        (["quickfix.unsafe"], {"quickfix.unsafe"}),
        (["source"], {FIX_ALL}),
        (["source.fixAll"], {FIX_ALL}),
        (["source.fixAll.jobsworth"], {FIX_ALL}),
        (["source.organizeImports"], set()),
        (["refactor"], set()),
        (None, {"quickfix", "quickfix.unsafe", FIX_ALL, None}),
    ],
)
def test_a_client_gets_the_kinds_that_it_asks_for(
    only: list[str] | None, kinds: set[str | None]
) -> None:
    text = opened(ROOT / "examples/invalid/exit-codes-not-sorted.yaml")
    assert {action.kind for action in offered(text, only=only)} == kinds


def test_an_explanation_is_offered_where_there_is_a_failure_policy() -> None:
    def titles(name: str) -> list[str]:
        return [action.title for action in offered(opened(ROOT / "examples" / name))]

    assert "Explain this failure policy" in titles("valid/ml-training.yaml")
    assert "Explain this failure policy" not in titles("valid/work-queue.yaml")


def test_an_edit_keeps_the_line_ends_of_the_file() -> None:
    path = ROOT / "examples/invalid/exit-codes-not-sorted.yaml"
    text = path.read_text("utf-8").replace("\n", "\r\n")
    before = result_of_steps(evaluated(open_text(text, str(path)), workspace()))
    (action,) = [each for each in offered(before) if each.title.startswith("Sort")]
    assert edited(before, action) == text.replace("[42, 3]", "[3, 42]")


def test_a_project_below_a_folder_of_tests_has_quick_fixes(tmp_path: Path) -> None:
    project = tmp_path / "tests" / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "tests").mkdir()
    fixable = next(each for each in EXAMPLES if offered(opened(each), only=["quickfix"]))
    mistake = fixable.read_text("utf-8")
    for file in ("job.yaml", "tests/job.yaml"):
        (project / file).write_text(mistake)
    assert offered(opened(project / "job.yaml"), only=["quickfix"]) != []
    assert offered(opened(project / "tests/job.yaml"), only=["quickfix"]) == []
