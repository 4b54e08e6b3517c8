"""The documents of a file while they are read, and constants that all readers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.manifests.parsing.document import Document, Source, Text
from jobsworth.manifests.parsing.records import ManifestError, Note, Position, Unreadable

if TYPE_CHECKING:
    from jobsworth.manifests.parsing.fast_yaml import Value

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF16 = "kubectl does not read UTF-16; save the file as UTF-8"

GO_SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that Go's unicode.IsSpace accepts."""


class StreamState:
    """The documents found so far in a file."""

    __slots__ = ("documents", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.documents: list[Document] = []

    def found(self, text: Text, value: Value, notes: tuple[Note, ...] = ()) -> None:
        """Add a document unless it is null, which kubectl skips."""
        if value is not None:
            self.documents.append(
                Document(self.source.file, len(self.documents), None, value, None, notes, text)
            )

    def broken(self, text: Text, message: str, position: Position) -> None:
        """Add a document that cannot be read."""
        error = ManifestError(self.source.file, position.line, position.column, message)
        self.documents.append(
            Document(self.source.file, len(self.documents), None, None, error, (), text)
        )

    def note(self, note: Note) -> None:
        """Add a note to the last document, if it could be read."""
        if self.documents and self.documents[-1].error is None:
            self.documents[-1] = self.documents[-1].with_note(note)

    def explain_better(self, number: int, error: Unreadable) -> None:
        """Replace the error of a document, if the document exists and has one."""
        if number < len(self.documents) and self.documents[number].error is not None:
            replaced, later = self.documents[number], self.documents[number + 1 :]
            del self.documents[number:]
            self.broken(replaced._text, error.message, error.position)
            self.documents += later
