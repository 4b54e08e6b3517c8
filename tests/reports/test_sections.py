"""Sections are written as text and as Markdown."""

from __future__ import annotations

from jobsworth.reports.sections import Fact, Section, markdown_lines, text_lines

PODS = Section("Pods", [("a", "", "exit 1"), ("b", "", "@here")], ("Pod", "index", "how"))


def test_a_text_shows_tables_without_empty_columns() -> None:
    assert list(text_lines([Section("Job a failed."), PODS])) == [
        "Job a failed.",
        "",
        "Pods",
        "  Pod  how",
        "  a    exit 1",
        "  b    @here",
    ]


def test_a_bare_table_has_no_headers_in_a_text() -> None:
    limits = Section("Limits", [("backoffLimit 3", "exceeded")], ("limit", "what"), bare=True)
    assert list(text_lines([limits])) == ["Limits", "  backoffLimit 3  exceeded"]
    assert "| limit | what |" in list(markdown_lines([limits]))


def test_lists_and_lines_keep_their_form() -> None:
    section = Section("Log", items=["one"], lines=["| \x1b[31mred", "  two"])
    assert list(text_lines([section]))[:2] == ["Log", "  - one"]
    assert not any("\x1b" in line for line in text_lines([section]))
    assert list(markdown_lines([section]))[-2:] == ["``````", ""]


def test_markdown_escapes_what_is_of_unknown_origin() -> None:
    lines = list(markdown_lines([Section("Job *a* failed."), PODS]))
    assert lines[0] == "**Job \\*a\\* failed.**"
    assert "| b | @<!-- -->here |" in lines


SUMMARY = Section(
    "Job a failed.",
    facts=[
        Fact("Cause", "it went wrong in a way that takes more words than one line of the terminal has"),
        Fact("Fix", "", "kubectl describe pod -n batch a-name-that-is-longer-than-the-line-of-the-terminal"),
    ],
    style="error",
)  # fmt: skip


def test_facts_are_wrapped_and_commands_are_not() -> None:
    assert list(text_lines([SUMMARY], 40)) == [
        "Job a failed.",
        "Cause   it went wrong in a way that",
        "        takes more words than one line",
        "        of the terminal has",
        "Fix     kubectl describe pod -n batch a-name-that-is-longer-than-the-line-of-the-terminal",
    ]


def test_a_terminal_shows_colors() -> None:
    first, second, *_ = text_lines([SUMMARY], color=True)
    assert first == "\x1b[31;1mJob a failed.\x1b[0m"
    assert second.startswith("\x1b[1mCause   \x1b[0mit went wrong")


def test_markdown_shows_a_command_as_code() -> None:
    lines = list(markdown_lines([SUMMARY]))
    assert lines[:1] == ["**Job a failed.**"]
    assert "- **Fix**:" in lines
    assert any(line.strip().startswith("kubectl describe pod") for line in lines)
