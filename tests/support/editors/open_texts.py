"""Open texts without a client, and the edits that a client makes."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from jobsworth.files.configuration.settings import Settings
from jobsworth.lsp.open_text import OpenText
from jobsworth.lsp.text_positions import TextPositions
from jobsworth.lsp.workspace_evaluator import WorkspaceEvaluator

UTF_16 = types.PositionEncodingKind.Utf16


def workspace(*folders: Path | str, settings: Settings | None = None) -> WorkspaceEvaluator:
    """Return an evaluator of texts in some folders."""
    evaluator = WorkspaceEvaluator(settings or Settings(), infos=True)
    evaluator.read_again([str(folder) for folder in folders])
    return evaluator


def open_text(text: str, path: str = "/repository/job.yaml", encoding: str = UTF_16) -> OpenText:
    """Return a text that is open in an editor."""
    return OpenText(f"file://{path}", 1, path, TextPositions(text, PositionCodec(encoding)))


def with_edits(text: OpenText, edits: list[types.TextEdit]) -> str:
    """Return a text after the edits of one action."""
    edited = text.positions.text
    for edit in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character)):
        start, end = map(text.positions.offset_at, (edit.range.start, edit.range.end))
        edited = edited[:start] + edit.new_text + edited[end:]
    return edited
