"""Read a configuration: ``.jobsworth.yaml``, or the table ``[tool.jobsworth]`` of a pyproject.toml.

Errors name the file, the line if known, the key, and the valid values.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jobsworth.api.api_server import RELEASES, ApiServer, UnknownRelease
from jobsworth.api.feature_gates import FEATURE_GATES, is_gate
from jobsworth.files.configuration.path_patterns import matches_below
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.policies.profiles import ENFORCEMENTS, PROFILE_CHOICES
from jobsworth.files.repository_root import is_within, root_around
from jobsworth.findings.finding import SEVERITIES, THRESHOLDS
from jobsworth.findings.near_names import did_you_mean
from jobsworth.lint.catalogue import UnknownCode, codes_to_change
from jobsworth.lint.lint_rule import CONFIDENCES
from jobsworth.lint.selection import ignored, named, selected
from jobsworth.regular_files import MAX_CONFIGURATION_BYTES
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn, TypeVar

    from jobsworth.findings.finding import Severity
    from jobsworth.kinds.kind_table import EmbeddedTemplate

    Where = Callable[[str], str]
    Word = TypeVar("Word", bound=str)

KEYS = (
    "kubernetes-version", "feature-gates", "allow-privileged",
    "select", "ignore", "severity", "per-file-ignores", "exclude",
    "policy", "admission-policy", "profile", "profile-enforcement", "fail-on", "namespace", "min-confidence",
    "kinds", "jobset-version",
)  # fmt: skip

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
        reader = _ConfigurationReader(values, where)
        self.file = file
        self.folder = os.path.dirname(os.path.abspath(file))
        release, gates = reader.release(), reader.gates()
        self.settings = Settings(
            release=release,
            gates=gates,
            gates_file=file if gates else None,
            allow_privileged=reader.truth("allow-privileged"),
            select=reader.select(),
            named=named(reader.words("select")),
            fail_on=reader.choice("fail-on", THRESHOLDS),
            namespace=reader.namespace(),
            min_confidence=reader.choice("min-confidence", CONFIDENCES),
            kinds=reader.kinds(),
            jobset_version=reader.jobset_version(),
            ignore=reader.codes("ignore"),
            severity=reader.severity(),
            policy=tuple(reader.policies("policy", self.folder, _root(file))),
            admission_policy=tuple(reader.policies("admission-policy", self.folder, _root(file))),
            profile=reader.choice("profile", PROFILE_CHOICES),
            profile_enforcement=reader.choice("profile-enforcement", ENFORCEMENTS),
        )
        self.per_file_ignores = reader.per_file_ignores()
        self.exclude = reader.words("exclude")

    def ignored_in(self, path: str) -> frozenset[str]:
        """Return the codes ignored in a file, by its absolute path."""
        return frozenset(
            code
            for pattern, codes in self.per_file_ignores
            if matches_below(self.folder, pattern, path)
            for code in codes
        )


class _ConfigurationReader:
    """Reads the values of a configuration by key and checks their types."""

    def __init__(self, values: Mapping[str, Any], where: Where) -> None:
        self._values = values
        self._where = where
        for key in values:
            if key not in KEYS:
                hint = did_you_mean(str(key), KEYS) or f"valid keys are {', '.join(KEYS)}"
                self._reject(str(key), f"unknown key: {hint}")

    def release(self) -> str | None:
        value = self._values.get("kubernetes-version")
        if value is None:
            return None
        if isinstance(value, float):
            value = f"{value:.2f}"  # YAML reads 1.30 as 1.3; every minor version has two digits
        try:
            return ApiServer(value if isinstance(value, str) else "").release
        except UnknownRelease:
            known = f"{RELEASES[0]} to {RELEASES[-1]}"
            self._reject("kubernetes-version", f"{_shown(value)} is not one of {known}")

    def gates(self) -> dict[str, bool]:
        gates = self._table("feature-gates", "a feature gate: true or false")
        for name, value in gates.items():
            key = f"feature-gates.{name}"
            if not is_gate(name):
                hint = did_you_mean(name, FEATURE_GATES)
                self._reject(key, f"unknown feature gate{f': {hint}' if hint else ''}")
            self._must_be_truth(key, value)
        return gates

    def truth(self, key: str) -> bool | None:
        value = self._values.get(key)
        if value is None:
            return None
        self._must_be_truth(key, value)
        return bool(value)

    def select(self) -> frozenset[str] | None:
        if "select" not in self._values:
            return None
        try:
            return selected(self.words("select"))
        except UnknownCode as error:
            self._reject("select", str(error))

    def codes(self, key: str) -> frozenset[str]:
        try:
            return ignored(self.words(key))
        except UnknownCode as error:
            self._reject(key, str(error))

    def severity(self) -> dict[str, Severity]:
        found = []
        for word, severity in self._table("severity", "a rule: a severity").items():
            key = f"severity.{word}"
            if severity not in SEVERITIES:
                hint = did_you_mean(severity, SEVERITIES) if isinstance(severity, str) else ""
                hint = hint or f"valid are {', '.join(SEVERITIES)}"
                self._reject(key, f"{_shown(severity)} is not a severity: {hint}")
            try:
                found.append((codes_to_change(word), severity))
            except UnknownCode as error:
                self._reject(key, str(error))
        found.sort(
            key=lambda pair: -len(pair[0])
        )  # the entry that selects fewer codes takes precedence
        return {code: severity for codes, severity in found for code in codes}

    def per_file_ignores(self) -> list[tuple[str, frozenset[str]]]:
        table = self._table("per-file-ignores", "a file pattern: a list of rules")
        found = []
        for pattern, words in table.items():
            key = f"per-file-ignores[{pattern}]"
            try:
                found.append((pattern, ignored(self._words(key, words))))
            except UnknownCode as error:
                self._reject(key, str(error))
        return found

    def words(self, key: str) -> list[str]:
        value = self._values.get(key)
        return [] if value is None else self._words(key, value)

    def namespace(self) -> str | None:
        value = self._values.get("namespace")
        if value is not None and not (isinstance(value, str) and value):
            self._reject("namespace", f"must be the name of a namespace, got {_shown(value)}")
        return value

    def jobset_version(self) -> str | None:
        value = self._values.get("jobset-version")
        if value is None:
            return None
        from jobsworth.api.jobset.versions import UnknownJobSetVersion, known_version

        if value == 0.1:
            value = "0.10"  # which YAML reads as 0.1
        try:
            return known_version(str(value))
        except UnknownJobSetVersion as error:
            self._reject("jobset-version", str(error))

    def kinds(self) -> tuple[EmbeddedTemplate, ...] | None:
        value = self._values.get("kinds")
        if value is None:
            return None
        from jobsworth.files.configuration.kind_entries import (
            read_entries,  # few configurations have any
        )

        return read_entries(value, self._reject)

    def policies(self, key: str, folder: str, root: str) -> list[str]:
        """Return the paths of policies, which must be in the repository."""
        paths = []
        for word in self.words(key):
            path = os.path.join(folder, word)
            if not is_within(path, root):
                advice = f"move it there, or remove it here and use --{key}"
                self._reject(key, f'"{word}" is outside of {root}; {advice}')
            paths.append(path)
        return paths

    def choice(self, key: str, choices: tuple[Word, ...]) -> Word | None:
        value = self._values.get(key)
        if value is not None and value not in choices:
            hint = did_you_mean(value, choices) if isinstance(value, str) else ""
            hint = hint or f"valid are {', '.join(choices)}"
            self._reject(key, f"{_shown(value)}: {hint}")
        return value

    def _must_be_truth(self, key: str, value: Any) -> None:
        if not isinstance(value, bool):
            self._reject(key, f"must be true or false, got {_shown(value)}")

    def _words(self, key: str, value: Any) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            self._reject(key, f"must be a list of strings, got {_shown(value)}")
        return value

    def _table(self, key: str, form: str) -> dict[str, Any]:
        value = self._values.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._reject(key, f"must have entries of the form `{form}`, got {_shown(value)}")
        return value

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
        raise UsageError(f"{_shown_name(file)}: no table [tool.jobsworth]; add one")
    return found


def read_if_any(file: str) -> ConfigurationFile | None:
    """Read a TOML file's table ``[tool.jobsworth]``, if it has one.

    Raises:
        UsageError: it cannot be read, or is wrong.
    """
    import tomllib

    name = _shown_name(file)
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
        raise UsageError(f"{name}: tool.jobsworth: must be a table, got {_shown(table)}")
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

    name = _shown_name(file)
    documents = read_text(_bytes(file), name)
    if not documents:
        return ConfigurationFile(name, {}, lambda key: name)
    document = documents[0]
    if document.error is not None:
        raise UsageError(str(document.error))
    if len(documents) > 1:
        raise UsageError(f"{name}: must have one YAML document, got {len(documents)}")
    if not isinstance(document.value, dict):
        raise UsageError(
            f"{name}: must have keys ({', '.join(KEYS)}), got {_shown(document.value)}"
        )
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
            f"{_shown_name(file)}: is a symbolic link out of {_root(file)} and is not followed; replace it "
            "by a file"
        )
    data = read_bytes(file, name=_shown_name(file), most=MAX_CONFIGURATION_BYTES)
    if isinstance(data, ManifestError):
        raise UsageError(f"{data.file}: {data.message}")
    return data


def _shown_name(file: str) -> str:
    """Return a file's path relative to the current folder if that is shorter."""
    try:
        relative = os.path.relpath(file)
    except ValueError:  # another drive
        return file
    return relative if len(relative) < len(os.path.abspath(file)) else file


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return "empty" if value is None else str(value)
