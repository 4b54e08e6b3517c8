"""The baseline: known findings of a repository that are not reported again.

An entry matches by code, field, and the object's kind, namespace and name; that of an error of the API server
also by its message, which has the value; that of a chart that was rendered with a file of values
(``ci/*-values.yaml``) also by that file. It does not match by line, so that edits elsewhere in the file do
not bring a finding back. The file name is for readers; it is compared only for an object without a name.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import SKIPPED, UNVALIDATED, Result
from jobsworth.printable import printable, printable_json
from jobsworth.regular_files import MAX_BASELINE_BYTES, read_regular_file
from jobsworth.usage_error import UsageError
from jobsworth.wording import count

Key = tuple[str, ...]
Entry = dict[str, Any]

VERSION = 1
IDENTITY = ("kind", "namespace", "name", "field")
OPTIONAL = ("values", "message")
NEVER = ("JW021", "JW022", "JW090", "JW093")
"""Findings of what was not, or not completely, evaluated are never part of a baseline."""
MAX_MESSAGE = 200
"""The length above which a message is kept as its beginning and a hash; it may have a whole list."""


class Baseline:
    """Removes known findings from results, and collects its entries that no longer occur.

    Args:
        path: the file.
        may_be_new: treat a missing file as an empty baseline.

    Raises:
        UsageError: the file is unreadable or not a baseline.
    """

    def __init__(self, path: str, *, may_be_new: bool = False) -> None:
        self._path = path
        self._folder = os.path.dirname(os.path.abspath(path))
        self._entries = {_key(entry): entry for entry in _read(path, may_be_new=may_be_new)}
        self._renewing = may_be_new
        self._found: dict[Key, Entry] = {}
        self._wider: set[Key] = set()  # entries of errors of which people see another one
        self._files: set[str] = set()
        self._unread: set[str] = set()
        self._new = 0

    def is_file(self, path: str) -> bool:
        """Return True for the path of the baseline itself, which is not a manifest."""
        same_name = os.path.basename(path) == os.path.basename(self._path)
        return same_name and os.path.abspath(path) == os.path.abspath(self._path)

    def without_known(self, result: Result) -> Result:
        """Return a result without known findings; without any if the baseline is to be written."""
        file = self._file(result)
        self._files.add(file)
        if result.status == SKIPPED and not result.findings:
            return result
        kept, errors, unvalidated = [], 0, False
        for located in result.findings:
            entry = self._entry(result, located, file)
            key = _key(entry)
            if entry["code"] in NEVER:
                self._unread.add(file)
            if entry["code"] in NEVER or not (self._renewing or key in self._entries):
                kept.append(located)
                self._new += 1
                continue
            self._found[key] = entry
            finding = located.finding
            if finding.is_wider:
                self._wider.add(key)
            errors += finding.severity == "error"
            unvalidated |= finding.code == UNVALIDATED
        if len(kept) == len(result.findings):
            return result
        return result.with_findings(kept).replace(
            known_errors=result.known_errors + errors, is_known_unvalidated=unvalidated
        )

    def holds(self, result: Result, located: LocatedFinding) -> bool:
        """Return True if the baseline has a finding, or is to be written with it."""
        entry = self._entry(result, located, self._file(result))
        return entry["code"] not in NEVER and (self._renewing or _key(entry) in self._entries)

    def finish(self, *, write: bool) -> Iterator[str]:
        """Return the closing lines of the report; write the file first if requested.

        Raises:
            UsageError: the file cannot be written.
        """
        gone = [entry for key, entry in self._entries.items() if self._is_gone(key, entry)]
        if not write:
            if self._found:
                shown = self._seen_by_people(self._found)
                known = f"{count(len(shown), 'known finding')} in {self._path} not reported"
                new = "" if self._new else "no new findings; "
                yield printable(f"{new}{known}{_rejections(shown)}")
            if gone:
                gone_from = f"{self._path}: entries no longer found"
                yield f"{printable(gone_from)} (remove them with --write-baseline):"
                yield from (f"  {printable(_sentence(entry))}" for entry in gone)
            return
        gone_keys = {_key(entry) for entry in gone}
        kept = {key: entry for key, entry in self._entries.items() if key not in gone_keys}
        entries = {**kept, **self._found}
        self._write(sorted(entries.values(), key=_order))
        shown = self._seen_by_people(entries)
        added = len(shown.keys() - self._entries.keys())
        yield printable(
            f"{self._path}: {count(len(shown), 'finding')} ({added} added, {len(gone)} removed)"
            f"{_rejections(shown)}"
        )

    def _seen_by_people(self, entries: Mapping[Key, Entry]) -> dict[Key, Entry]:
        """Return the entries that are counted: one for each mistake, as in the summary of a run."""
        return {key: entry for key, entry in entries.items() if key not in self._wider}

    def _is_gone(self, key: Key, entry: Entry) -> bool:
        """Return True if the finding did not occur in a file that was validated, or that no longer exists.

        A file that could not be read, or only in part, says nothing.
        """
        if key in self._found:
            return False
        file = entry["file"]
        validated = file in self._files and file not in self._unread
        return validated or not os.path.lexists(os.path.join(self._folder, file))

    def _file(self, result: Result) -> str:
        return result.file if result.file.startswith("<") else self._relative(result.file)

    def _relative(self, file: str) -> str:
        """Return a file relative to the baseline's folder."""
        try:
            return os.path.relpath(file, self._folder).replace(os.sep, "/")
        except ValueError:  # on another drive
            return file

    def _entry(self, result: Result, located: LocatedFinding, file: str) -> Entry:
        entry = {
            "file": file,
            "code": located.finding.code,
            "kind": result.kind or "",
            "namespace": result.namespace or "",
            "name": result.name or "",
            "field": located.finding.field,
        }
        if located.origin is not None and located.origin.values:
            entry["values"] = self._relative(located.origin.values)
        if _is_rejection(located.finding):
            entry["message"] = _bounded(located.finding.message)
        return entry

    def _write(self, entries: list[Entry]) -> None:
        text = printable_json(
            json.dumps({"version": VERSION, "findings": entries}, indent=2, ensure_ascii=False)
        )
        try:
            with open(self._path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        except OSError as error:
            raise UsageError(f"--baseline: cannot write {self._path}: {error.strerror}") from None


def _rejections(entries: Mapping[Key, Entry]) -> str:
    """Say how many errors of the API server entries hide: nothing else can ignore those."""
    number = sum("message" in entry for entry in entries.values())
    if not number:
        return ""
    noun = "is an error" if number == 1 else "are errors"
    return f"; {number} of them {noun} of the API server"


def _is_rejection(finding: Finding) -> bool:
    return finding.source == "api" and finding.severity == "error"


def _bounded(message: str) -> str:
    if len(message) <= MAX_MESSAGE:
        return message
    digest = hashlib.sha256(message.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{message[:MAX_MESSAGE]}… (sha256 {digest[:16]})"


def _key(entry: Entry) -> Key:
    optional = (entry.get(name, "") for name in OPTIONAL)
    return (entry["code"], *_object(entry), entry["field"], *optional)


def _object(entry: Entry) -> Key:
    """Identify an entry's object; one without a name by its file."""
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
    values = f" (values {entry['values']})" if entry.get("values") else ""
    return " ".join(filter(None, [entry["code"], entry["kind"], name, entry["field"]])) + (
        f" in {entry['file']}{values}"
    )


def _read(path: str, *, may_be_new: bool) -> list[Entry]:
    try:
        text = read_regular_file(path, MAX_BASELINE_BYTES).decode()
    except FileNotFoundError:
        if may_be_new:
            return []
        raise UsageError(
            f"--baseline: file {path} does not exist; create it with --write-baseline"
        ) from None
    except OSError as error:
        raise UsageError(f"--baseline: cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise UsageError(f"--baseline: {path} is not UTF-8") from None
    try:
        stored = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--baseline: {path} is not JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"--baseline: {path} is nested too deeply") from None
    entries = stored.get("findings") if isinstance(stored, dict) else None
    if not isinstance(entries, list) or not all(_is_entry(entry) for entry in entries):
        raise UsageError(f"--baseline: {path} is not a baseline; create one with --write-baseline")
    if stored.get("version") != VERSION:
        raise UsageError(
            f"--baseline: {path} has version {stored.get('version')}; supported is {VERSION}"
        )
    return entries


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(name), str) for name in ("file", "code", *IDENTITY))
        and all(isinstance(entry.get(name, ""), str) for name in OPTIONAL)
    )
