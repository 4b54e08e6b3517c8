"""The files that a run evaluates, as opposed to those whose results it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.files.file_evaluation import FileEvaluator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from jobsworth.manifests import ManifestError

    Text = tuple[str, bytes | ManifestError]


def watch_evaluated_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each file is added when it is evaluated."""
    names: list[str] = []
    original = FileEvaluator.texts

    def texts(self: FileEvaluator, given: Iterable[Text]) -> object:
        def watched() -> Iterator[Text]:
            for path, data in given:
                names.append(path)
                yield path, data

        return original(self, watched())

    monkeypatch.setattr(FileEvaluator, "texts", texts)
    return names
