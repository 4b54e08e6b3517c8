"""Findings as diagnostics of the protocol."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from jobsworth.findings.finding import Finding
from jobsworth.lint.catalogue import page_address
from jobsworth.lsp.open_text import EvaluatedText, ShownFinding
from jobsworth.printable import printable
from jobsworth.reports.text import HINT_OF_FIX, hidden_note

SOURCE = "jobsworth"
SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
FURTHER = "once the errors above are fixed"


def diagnostics(evaluated: EvaluatedText) -> list[types.Diagnostic]:
    """Return the diagnostics of a text; one at its beginning if it cannot be evaluated."""
    if evaluated.problem:
        lines = map(printable, evaluated.problem.split("\n"))
        return [
            types.Diagnostic(
                evaluated.text.positions.range(0, 0),
                "\n".join(lines),
                severity=types.DiagnosticSeverity.Error,
                source=SOURCE,
            )
        ]
    return [*map(diagnostic, evaluated.findings), *_notes(evaluated)]


def diagnostic(shown: ShownFinding) -> types.Diagnostic:
    """Return the diagnostic of a finding."""
    finding = shown.located.finding
    address = page_address(finding.code)
    return types.Diagnostic(
        shown.range,
        _message(finding, further=shown.located.further),
        severity=SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(address) if address else None,
        source=SOURCE,
    )


def _message(finding: Finding, *, further: bool) -> str:
    """Return the message, without the hint if the fix says as much."""
    about = f"{finding.written_field}: " if finding.field else ""
    name = f" [{finding.reason}]" if finding.source == "lint" else ""
    lines = [f"{about}{finding.message}{name}"]
    if further:
        lines[0] += f" ({FURTHER})"
    says_as_much = finding.fix is not None and finding.hint.startswith(HINT_OF_FIX)
    if finding.hint and not says_as_much:
        lines.append(f"hint: {finding.hint}")
    if finding.fix is not None:
        lines.append(f"fix: {finding.fix.title}")
    return "\n".join(map(printable, lines))


def _notes(evaluated: EvaluatedText) -> Iterator[types.Diagnostic]:
    """Yield a hint for each document of which errors hide other findings."""
    hidden = {id(shown.result): shown for shown in evaluated.findings if shown.result.hidden_by}
    for shown in hidden.values():
        yield types.Diagnostic(
            shown.range,
            printable(hidden_note(shown.result.hidden_by)),
            severity=types.DiagnosticSeverity.Hint,
            source=SOURCE,
        )
