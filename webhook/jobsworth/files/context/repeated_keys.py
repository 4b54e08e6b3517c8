"""The keys that a YAML or JSON file in a ConfigMap or Secret repeats."""

from __future__ import annotations

from jobsworth.manifests import read_text


def repeated_keys(name: str, text: str) -> list[tuple[str, int, int]]:
    """Return the keys that a text of YAML or JSON has twice in one mapping, each with its two lines.

    >>> repeated_keys("a.yaml", "a: 1\\nb: 2\\na: 3\\n")
    [('a', 1, 3)]
    """
    return [
        (note.field.rpartition(".")[2], note.other.line, note.position.line)
        for document in read_text(text.encode("utf-8", "replace"), name)
        if document.error is None
        for note in document.notes
        if note.kind == "duplicate-key" and note.other is not None
    ]
