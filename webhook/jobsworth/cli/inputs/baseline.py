"""The baseline: findings that a repository has already, and that are not to stand in the way.

An entry is known by its code, the object's kind, namespace and name, and the field: not by its line, so
that edits elsewhere in the file do not bring a finding back. The file is listed for people, and counts
only for an object without a name.
"""

from __future__ import annotations

import json
import os

from jobsworth.cli.command import UsageError
from jobsworth.reports.result import SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.reports.result import Located, Result

    Key = tuple[str, ...]
    Entry = dict[str, Any]

VERSION = 1
IDENTITY = ("kind", "namespace", "name", "field")
NEVER = ("JW021", "JW090")
"""What could not be read is not known, so that it cannot be known already."""


class Baseline:
    """Takes known findings out of results, and learns which of its entries no longer occur.

    Args:
        path: the file.
        may_be_new: an absent file is an empty baseline.

    Raises:
        UsageError: the file cannot be read, or is no baseline.
    """

    def __init__(self, path: str, *, may_be_new: bool = False) -> None:
        self._path = path
        self._folder = os.path.dirname(os.path.abspath(path))
        self._entries = {_key(entry): entry for entry in _read(path, may_be_new=may_be_new)}
        self._renewing = may_be_new
        self._found: dict[Key, Entry] = {}
        self._objects: set[Key] = set()
        self._files: set[str] = set()
        self._known = 0

    def take_known_from(self, result: Result) -> None:
        """Take the findings out of a result that the baseline has; all, when it is to be written."""
        file = self._file(result)
        self._files.add(file)
        if result.status == SKIPPED and not result.findings:
            return
        self._objects.add(_object(_entry(result, None, file)))
        kept = []
        for located in result.findings:
            entry = _entry(result, located, file)
            key = _key(entry)
            if entry["code"] in NEVER or not (self._renewing or key in self._entries):
                kept.append(located)
                continue
            self._found[key] = entry
            self._known += 1
        if len(kept) < len(result.findings):
            result.replace_findings(kept)

    def finish(self, *, write: bool) -> Iterator[str]:
        """What is to be said at the end, in lines; and write the file when that is asked for.

        Raises:
            UsageError: the file cannot be written.
        """
        gone = [entry for key, entry in self._entries.items() if self._is_gone(key, entry)]
        if not write:
            if self._known:
                yield f"{_count(self._known, 'finding')} not reported: {self._path} has them"
            if gone:
                yield f"{self._path}: no longer found (--write-baseline removes them):"
                yield from (f"  {_sentence(entry)}" for entry in gone)
            return
        gone_keys = {_key(entry) for entry in gone}
        kept = {key: entry for key, entry in self._entries.items() if key not in gone_keys}
        entries = {**kept, **self._found}
        self._write(sorted(entries.values(), key=_order))
        added = len(entries.keys() - self._entries.keys())
        yield (
            f"{self._path}: {_count(len(entries), 'finding')} ({added} added, {len(gone)} removed)"
        )

    def _is_gone(self, key: Key, entry: Entry) -> bool:
        """Whether an entry does not occur, and not only because its object was not judged."""
        if key in self._found:
            return False
        file = entry["file"]
        return (
            _object(entry) in self._objects
            or file in self._files
            or not os.path.lexists(os.path.join(self._folder, file))
        )

    def _file(self, result: Result) -> str:
        """The result's file, from the baseline's folder."""
        if result.file.startswith("<"):
            return result.file
        try:
            return os.path.relpath(result.file, self._folder).replace(os.sep, "/")
        except ValueError:  # another drive
            return result.file

    def _write(self, entries: list[Entry]) -> None:
        text = json.dumps({"version": VERSION, "findings": entries}, indent=2, ensure_ascii=False)
        try:
            with open(self._path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        except OSError as error:
            raise UsageError(
                f"--baseline: {self._path} cannot be written: {error.strerror}"
            ) from None


def _entry(result: Result, located: Located | None, file: str) -> Entry:
    return {
        "file": file,
        "code": located.finding.code if located is not None else "",
        "kind": result.kind or "",
        "namespace": result.namespace or "",
        "name": result.name or "",
        "field": located.finding.field if located is not None else "",
    }


def _key(entry: Entry) -> Key:
    return (entry["code"], *_object(entry), entry["field"])


def _object(entry: Entry) -> Key:
    """Which object an entry is about: one without a name is known by its file."""
    return (
        entry["kind"],
        entry["namespace"],
        entry["name"],
        "" if entry["name"] else entry["file"],
    )


def _order(entry: Entry) -> tuple[str, ...]:
    return (entry["file"], *_key(entry))


def _sentence(entry: Entry) -> str:
    name = f"{entry['namespace']}/{entry['name']}" if entry["namespace"] else entry["name"]
    return " ".join(filter(None, [entry["code"], entry["kind"], name, entry["field"]])) + (
        f" in {entry['file']}"
    )


def _read(path: str, *, may_be_new: bool) -> list[Entry]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        if may_be_new:
            return []
        raise UsageError(
            f"--baseline: there is no file {path}; --write-baseline makes it"
        ) from None
    except OSError as error:
        raise UsageError(f"--baseline: {path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise UsageError(f"--baseline: {path} is not UTF-8") from None
    try:
        stored = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--baseline: {path} is not JSON: {error}") from None
    entries = stored.get("findings") if isinstance(stored, dict) else None
    if not isinstance(entries, list) or not all(_is_entry(entry) for entry in entries):
        raise UsageError(f"--baseline: {path} is no baseline; --write-baseline makes one")
    if stored.get("version") != VERSION:
        raise UsageError(
            f"--baseline: {path} has version {stored.get('version')}, and {VERSION} is known"
        )
    return entries


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(entry.get(name), str) for name in ("file", "code", *IDENTITY)
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
