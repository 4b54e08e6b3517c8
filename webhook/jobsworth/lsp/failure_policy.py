"""The explanation of the Jobs of an open text, as a page that an editor shows."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from jobsworth.api.api_server import ApiServer
from jobsworth.files.explained_files import ReadDocument, explained_documents
from jobsworth.files.steps import Steps
from jobsworth.lsp.open_text import OpenText
from jobsworth.manifests import read_text
from jobsworth.printable import printable
from jobsworth.reports import explanation_markdown
from jobsworth.runs.explanation.explanation import explain

MAX_NAME_LENGTH = 60
"""The maximum length of the name of a page, in letters, beside those that say what it is."""

MARK = b"ailurePolicy"
"""Every text with a failure policy, of a Job or a JobSet, contains these bytes."""


def has_failure_policy(text: OpenText) -> bool:
    """Return True for a text that may have a failure policy."""
    return MARK in text.data


def explanation(text: OpenText, server: ApiServer) -> Steps[str]:
    """Return what happens to the Jobs of a text when their Pods fail, as Markdown."""
    now = int(datetime.now(UTC).timestamp())
    documents = read_text(text.data, os.path.basename(text.path))
    lines: list[str] = []
    for read in explained_documents(documents, server):
        lines += (*_lines(read, now), "")
        yield
    return "\n".join(lines or ["There is no Job, CronJob or JobSet in this file."]) + "\n"


def _lines(read: ReadDocument, now: int) -> Iterator[str]:
    if read.job is not None:
        job = read.job
        yield from explanation_markdown.render(explain(job.about, job.job, job.lines, now))
    elif read.error is not None:
        yield printable(f"{read.error}")
    elif read.result is not None:
        name = f"{read.result.kind} {read.result.shown_name or '(unnamed)'}"
        yield printable(f"{name} is not explained, because the API server rejects it:")
        yield ""
        for located in read.result.findings:
            finding = located.finding
            if finding.severity == "error":
                yield f"- {printable(f'line {located.line}: {finding.field}: {finding.message}')}"


def _file_name(name: str) -> str:
    """Return a name that every file system has for a text, whose own name may be anything.

    >>> _file_name("train-v1.2"), _file_name("a\\0b/c d"), len(_file_name("x" * 5000))
    ('train-v1.2', 'a_b_c_d', 60)
    """
    return re.sub(r"[^A-Za-z0-9.-]", "_", name)[:MAX_NAME_LENGTH]


class ExplanationPages:
    """Files with explanations, in a folder that only this user can read, until the server ends."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def write(self, name: str, markdown: str) -> str:
        """Write a page, and return its address; a page of the same name is replaced.

        Args:
            name: of the text that is explained, as the editor has it.
            markdown: the explanation.

        Raises:
            OSError: it cannot be written.
        """
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="jobsworth-")
        path = Path(self._folder.name) / f"explanation-{_file_name(name)}.md"
        path.write_text(markdown, encoding="utf-8", errors="backslashreplace")
        return path.as_uri()

    def remove(self) -> None:
        """Remove all pages."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
