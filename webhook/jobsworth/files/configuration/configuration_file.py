"""Read a configuration: ``.jobsworth.yaml``, or the table ``[tool.jobsworth]`` of a pyproject.toml.

Errors name the file, the line if known, the key, and the valid values.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NoReturn

from jobsworth.api.api_server import RELEASES, ApiServer, UnknownRelease
from jobsworth.api.feature_gates import KNOWN_GATES, is_gate
from jobsworth.documents.declared import read_value
from jobsworth.documents.schema_errors import problems, shown
from jobsworth.files.configuration.configuration_document import (
    PATTERNS,
    ConfigurationDocument,
    configuration_schema,
    template_of,
)
from jobsworth.files.configuration.path_patterns import matches_below
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.repository_root import is_within, root_around
from jobsworth.findings.finding import NEVER, VERDICT, Severity, Threshold
from jobsworth.findings.near_names import did_you_mean
from jobsworth.kinds.kind_table import EmbeddedTemplate
from jobsworth.lint.catalogue import UnknownCode, codes_to_change
from jobsworth.lint.selection import ignored, named, selected
from jobsworth.regular_files import MAX_CONFIGURATION_BYTES
from jobsworth.usage_error import UsageError

Where = Callable[[str], str]

MAX_KEY_PARTS = 100
"""The maximum number of parts of a dotted key in TOML; 50,000 take a minute and a gigabyte."""


class ConfigurationFile:
    """One configuration file.

    Attributes:
        file: its name, for messages.
        folder: its folder, as an absolute path.
        settings: the settings that it gives.
        per_file_ignores: file patterns, and the codes ignored in matching files.
        exclude: patterns of excluded files, from its folder.
    """

    __slots__ = ("exclude", "file", "folder", "per_file_ignores", "settings")

    def __init__(self, file: str, values: Mapping[str, Any], where: Where) -> None:
        self.file = file
        self.folder = os.path.dirname(os.path.abspath(file))
        given = _read(values, where)
        reader = _ConfigurationReader(given, where)
        self.settings = Settings(
            release=reader.release(),
            gates=reader.gates(),
            gates_file=file if given.feature_gates else None,
            allow_privileged=given.allow_privileged,
            select=reader.select(),
            named=named(given.select or ()),
            fail_on=reader.threshold(),
            namespace=given.namespace,
            min_confidence=given.min_confidence,
            kinds=reader.kinds(),
            jobset_version=reader.jobset_version(),
            ignore=reader.codes("ignore", given.ignore),
            severity=reader.severity(),
            policy=tuple(reader.policies("policy", given.policy, file)),
            admission_policy=tuple(
                reader.policies("admission-policy", given.admission_policy, file)
            ),
            profile=given.profile,
            profile_enforcement=given.profile_enforcement,
        )
        self.per_file_ignores = reader.per_file_ignores()
        self.exclude = given.exclude or []

    @property
    def has_patterns(self) -> bool:
        """True if it excludes files, or ignores codes in some."""
        return bool(self.exclude or self.per_file_ignores)

    def ignored_in(self, path: str) -> frozenset[str]:
        """Return the codes ignored in a file, by its absolute path."""
        return frozenset(
            code
            for pattern, codes in self.per_file_ignores
            if matches_below(self.folder, pattern, path)
            for code in codes
        )

    def unmatched(self, files: Collection[str], validated: Collection[str], *, hidden: bool) -> str:
        """Return a sentence about the patterns that match no file; empty without any.

        Args:
            files: the absolute paths of all files that have this configuration, also of those excluded.
            validated: those of the files that are validated.
            hidden: the files include those in hidden folders.
        """
        keys = {
            "exclude": (self.exclude, files),
            "per-file-ignores": ([pattern for pattern, _ in self.per_file_ignores], validated),
        }
        found = {
            key: [
                pattern
                for pattern in patterns
                if (hidden or not _is_hidden(pattern))
                and not any(matches_below(self.folder, pattern, path) for path in paths)
            ]
            for key, (patterns, paths) in keys.items()
        }
        named = [f"{key}: {', '.join(patterns)}" for key, patterns in found.items() if patterns]
        return f"{self.file}: no file matches {' and '.join(named)}" if named else ""


def _is_hidden(pattern: str) -> bool:
    """Return True for the pattern of a file in a hidden folder, or of one."""
    return any(part.startswith(".") for part in pattern.removeprefix("./").split("/"))


def _read(values: Mapping[str, Any], where: Where) -> ConfigurationDocument:
    """Return the values of a configuration; a key without a value counts as absent.

    Raises:
        UsageError: a key is unknown, or its value is of another form.
    """
    found = {key: value for key, value in values.items() if value is not None}
    wrong = [
        f"{where(problem.field)}: {problem}"
        for problem in problems(found, configuration_schema(), PATTERNS)
    ]
    if wrong:
        raise UsageError(*wrong)
    return read_value(ConfigurationDocument, found)


class _ConfigurationReader:
    """Compiles the values of a configuration that name rules, releases, gates, files and kinds."""

    def __init__(self, given: ConfigurationDocument, where: Where) -> None:
        self._given = given
        self._where = where

    def release(self) -> str | None:
        value = self._given.kubernetes_version
        if value is None:
            return None
        # YAML reads 1.30 as 1.3; every minor version has two digits.
        text = value if isinstance(value, str) else f"{value:.2f}"
        try:
            return ApiServer(text).release
        except UnknownRelease:
            known = f"{RELEASES[0]} to {RELEASES[-1]}"
            self._reject("kubernetes-version", f'"{text}" is not one of {known}')

    def gates(self) -> dict[str, bool]:
        gates = self._given.feature_gates or {}
        for name in gates:
            if not is_gate(name):
                hint = did_you_mean(name, KNOWN_GATES)
                self._reject(
                    f"feature-gates[{name}]", f"unknown feature gate{f' ({hint})' if hint else ''}"
                )
        return gates

    def select(self) -> frozenset[str] | None:
        if self._given.select is None:
            return None
        try:
            return selected(self._given.select)
        except UnknownCode as error:
            self._reject("select", str(error))

    def codes(self, key: str, words: list[str] | None) -> frozenset[str]:
        try:
            return ignored(words or ())
        except UnknownCode as error:
            self._reject(key, str(error))

    def severity(self) -> dict[str, Severity]:
        found = []
        for word, severity in (self._given.severity or {}).items():
            try:
                found.append((codes_to_change(word), severity))
            except UnknownCode as error:
                self._reject(f"severity[{word}]", str(error))
        # The entry that selects fewer codes takes precedence.
        found.sort(key=lambda pair: -len(pair[0]))
        return {code: severity for codes, severity in found for code in codes}

    def per_file_ignores(self) -> list[tuple[str, frozenset[str]]]:
        return [
            (pattern, self.codes(f"per-file-ignores[{pattern}]", words))
            for pattern, words in (self._given.per_file_ignores or {}).items()
        ]

    def jobset_version(self) -> str | None:
        value = self._given.jobset_version
        if value is None:
            return None
        from jobsworth.api.jobset.versions import UnknownJobSetVersion, known_version

        try:
            return known_version("0.10" if value == 0.1 else str(value))  # YAML reads 0.10 as 0.1
        except UnknownJobSetVersion as error:
            self._reject("jobset-version", str(error))

    def kinds(self) -> tuple[EmbeddedTemplate, ...] | None:
        kinds = self._given.kinds
        return None if kinds is None else tuple(map(template_of, kinds))

    def policies(self, key: str, words: list[str] | None, file: str) -> Iterator[str]:
        """Yield the paths of policies, which must be in the repository."""
        root = _root(file)
        for word in words or ():
            path = os.path.join(os.path.dirname(os.path.abspath(file)), word)
            if not is_within(path, root):
                advice = f"move it there, or remove it here and use --{key}"
                self._reject(key, f'"{word}" is outside of {root}; {advice}')
            yield path

    def threshold(self) -> Threshold | None:
        """Return the threshold. A pull request may bring it, so ``never`` does not cover the verdict."""
        return VERDICT if self._given.fail_on == NEVER else self._given.fail_on

    def _reject(self, key: str, message: str) -> NoReturn:
        raise UsageError(f"{self._where(key)}: {key}: {message}")


def read_configuration(file: str) -> ConfigurationFile:
    """Read a configuration, TOML by its name and otherwise YAML.

    Raises:
        UsageError: it cannot be read, is wrong, or is a TOML file without ``[tool.jobsworth]``.
    """
    if not file.endswith(".toml"):
        return _read_yaml(file)
    found = read_if_any(file)
    if found is None:
        raise UsageError(f"{_short_path(file)}: no table [tool.jobsworth]; add one")
    return found


def read_if_any(file: str) -> ConfigurationFile | None:
    """Read a TOML file's table ``[tool.jobsworth]``, if it has one.

    Raises:
        UsageError: it cannot be read, or is wrong.
    """
    import tomllib

    name = _short_path(file)
    try:
        # Numbers as they are written: 1.30 is not 1.3.
        text = _bytes(file).decode()
        _check_keys(text, name)
        values = tomllib.loads(text, parse_float=str)
    except ValueError as error:
        raise UsageError(f"{name}: invalid TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{name}: invalid TOML: a value is nested too deeply") from None
    tool = values.get("tool")
    table = tool.get("jobsworth") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise UsageError(f"{name}: tool.jobsworth: must be a table, but is {shown(table)}")
    return ConfigurationFile(name, table, lambda key: f"{name}: [tool.jobsworth]")


def _check_keys(text: str, name: str) -> None:
    """Check that no dotted key has very many parts: ``tomllib`` takes the square of their number.

    Raises:
        UsageError: a line has such a key, or as many dots between other punctuation.
    """
    import re

    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MAX_KEY_PARTS and any(
            part.count(".") > MAX_KEY_PARTS for part in re.split(r"[][{}=,#]", line)
        ):
            most = f"a dotted key has more than {MAX_KEY_PARTS} parts"
            raise UsageError(f"{name}:{number}: invalid TOML: {most}")


def _read_yaml(file: str) -> ConfigurationFile:
    from jobsworth.manifests import read_text

    name = _short_path(file)
    documents = read_text(_bytes(file), name)
    if not documents:
        return ConfigurationFile(name, {}, lambda key: name)
    document = documents[0]
    if document.error is not None:
        raise UsageError(str(document.error))
    if len(documents) > 1:
        raise UsageError(f"{name}: must have one YAML document, got {len(documents)}")
    if not isinstance(document.value, dict):
        keys = ", ".join(configuration_schema()["properties"])
        raise UsageError(f"{name}: must be a mapping with {keys}, but is {shown(document.value)}")
    for note in document.notes:
        raise UsageError(f"{name}:{note.position.line}: {note.field}: {note.message}")

    def where(key: str) -> str:
        return f"{name}:{document.position(key, key=True).line}"

    return ConfigurationFile(name, document.value, where)


def _root(file: str) -> str:
    """Return the folder that a configuration must not lead out of: its repository, or else its own folder."""
    return root_around(file) or os.path.dirname(os.path.abspath(file))


def _bytes(file: str) -> bytes:
    from jobsworth.manifests import ManifestError, read_bytes

    if os.path.islink(file) and not is_within(file, _root(file)):
        raise UsageError(
            f"{_short_path(file)}: is a symbolic link out of {_root(file)} and is not followed; replace it "
            "by a file"
        )
    data = read_bytes(file, name=_short_path(file), most=MAX_CONFIGURATION_BYTES)
    if isinstance(data, ManifestError):
        raise UsageError(f"{data.file}: {data.message}")
    return data


def _short_path(file: str) -> str:
    """Return a file's path relative to the current folder if that is shorter."""
    try:
        relative = os.path.relpath(file)
    except ValueError:  # another drive
        return file
    return relative if len(relative) < len(os.path.abspath(file)) else file
