"""Rewrite the short forms of policies in their files, and keep comments and layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.files.fixing.replace_file import check_is_within_reach, replace_file
from jobsworth.files.policies.policy_files import PolicyFileError, files_in, is_meant_as_policy
from jobsworth.findings.edits import CannotEdit
from jobsworth.manifests import ManifestError, expand_lists, read_bytes, read_text
from jobsworth.manifests.editing.apply_fixes import rewritten
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.policy.short_forms import short_forms
from jobsworth.printable import printable
from jobsworth.record import Record
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.manifests import Document
    from jobsworth.policy.short_forms import ShortForm


class RewrittenForm(Record):
    """A short form that was rewritten.

    Attributes:
        file: the name of its file.
        line: its line before, counted from 1.
        field: its path in the document.
        text: the new form in words.
    """

    file: str
    line: int
    field: str
    text: str

    def __str__(self) -> str:
        return printable(f"fixed: {self.file}:{self.line}: {self.field}: wrote {self.text}")


def rewrite_short_forms(paths: Sequence[str]) -> Iterator[RewrittenForm | PolicyFileError]:
    """Rewrite the short forms in files, and yield each, or an error for a file that stays unchanged.

    Files that cannot be read have no result here: loading them reports the reason.

    Args:
        paths: files and folders.

    Raises:
        UsageError: a path is standard input.
    """
    if STDIN in paths:
        raise UsageError("--fix rewrites files: give files or folders instead of -")
    for path in paths:
        for file in files_in(path):
            if not isinstance(file, ManifestError):
                yield from _rewrite(file, paths)


def _rewrite(file: str, paths: Sequence[str]) -> Iterator[RewrittenForm | PolicyFileError]:
    data = read_bytes(file)
    if isinstance(data, ManifestError):
        return
    found: list[tuple[Document, list[ShortForm]]] = []
    for document in expand_lists(read_text(data, file)):
        if document.error is None and is_meant_as_policy(document.value):
            forms = list(short_forms(document.value))
            if forms:
                found.append((document, forms))
    if not found:
        return
    replacements = [
        (document, {form.steps: form.value for form in forms}) for document, forms in found
    ]
    try:
        text = rewritten(data, replacements)
        check_is_within_reach(file, paths)
        replace_file(file, text, before=data)
    except (CannotEdit, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        document, forms = found[0]
        place = document.position(forms[0].field)
        message = f"not fixed: {reason}"
        yield PolicyFileError(document.file, place.line, place.column, forms[0].field, message)
        return
    for document, forms in found:
        for form in forms:
            line = document.position(form.field).line
            yield RewrittenForm(document.file, line, form.field, form.text)
