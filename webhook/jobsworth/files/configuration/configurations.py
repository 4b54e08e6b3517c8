"""Find the settings of each file: the command line's, then those of the nearest configuration above it.

A search for a configuration tests two file names per folder upwards, up to the root of the repository,
the home folder, or the root of the file system: a user who may write to a folder above a repository must
not switch its checks off. The module that reads one
(:mod:`jobsworth.files.configuration.configuration_file`) is imported where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jobsworth.api.api_server import preview_of, title
from jobsworth.files.configuration.resolved_settings import ResolvedSettings, policies_of, resolved
from jobsworth.files.configuration.settings import Settings, merged
from jobsworth.files.repository_root import CONFIGURATION, folder_of, is_root
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.regular_files import MAX_MANIFEST_BYTES, read_regular_file

if TYPE_CHECKING:
    from jobsworth.files.configuration.configuration_file import ConfigurationFile

OWN_FILE, SHARED_FILE = CONFIGURATION, "pyproject.toml"
SHARED_MARK = b"tool.jobsworth"
"""A pyproject.toml without these bytes has no [tool.jobsworth] and is not parsed."""

_NONE = Settings()


class Configurations:
    """Finds the settings of each file, and caches them.

    Args:
        overrides: settings of the command line, which take precedence over those of any configuration.
        exclude: patterns of excluded files, from the current folder.
        file: the configuration for every file; None to look for the nearest one above each.
        isolated: use no configuration.

    Raises:
        UsageError: the file cannot be read, or is wrong.
    """

    def __init__(
        self,
        overrides: Settings = _NONE,
        exclude: Sequence[str] = (),
        file: str | None = None,
        isolated: bool = False,
    ) -> None:
        self._overrides = overrides
        self._exclude = exclude
        self._file = file
        self._isolated = isolated
        self._home = os.path.expanduser("~")
        self._given: ConfigurationFile | None = None
        self._by_folder: dict[str, ConfigurationFile | None] = {}  # by absolute path
        self._nearest_of: dict[str, ConfigurationFile | None] = {}  # by folder as the paths name it
        self._excluded: dict[str, list[tuple[str, str]]] = {}
        self._resolved: dict[str, ResolvedSettings] = {}
        self._unmatched: list[str] = []
        if file is not None:
            from jobsworth.files.configuration.configuration_file import read_configuration

            self._given = read_configuration(file)

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process reads configurations and policies itself: compiled ones cannot be pickled.
        return Configurations, (self._overrides, self._exclude, self._file, self._isolated)

    def of(self, path: str) -> ResolvedSettings:
        """Return the settings of a file; ``-`` is standard input, which uses the current folder.

        Raises:
            UsageError: a configuration above it is wrong, or a policy.
        """
        configuration = self._for_file(path)
        settings = self._settings_below(configuration)
        if configuration is not None and configuration.per_file_ignores and path != STDIN:
            codes = configuration.ignored_in(os.path.abspath(path))
            if codes:
                return settings.without(codes)
        return settings

    def unresolved(self, path: str) -> Settings:
        """Return the settings of a file as they are given, without defaults and policies.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        return self._merged(self._for_file(path))

    @property
    def notes(self) -> list[str]:
        """Notes on the settings of the files seen so far.

        They are about previews of releases, admission policies that no API server enforces,
        configurations below the root of a repository that replace what jobsworth knows about a kind, and
        patterns that match no file, if a run has looked for them.
        """
        policies = [settings.admission_policies for settings in self._resolved.values()]
        found = [note for each in policies if each is not None for note in each.notes]
        releases = sorted({settings.server.release for settings in self._resolved.values()})
        found += [f"judged as {title(each)}" for each in releases if preview_of(each)]
        for configuration in {id(each): each for each in self._nearest_of.values()}.values():
            entries = () if configuration is None else configuration.settings.kinds
            if configuration is None or not entries or not self._is_below_root(configuration):
                continue
            from jobsworth.kinds.kind_table import replaced_kinds

            if kinds := replaced_kinds(entries):
                names = ", ".join(kinds)
                found.append(
                    f"{configuration.file} describes {names} in place of what jobsworth knows about it"
                )
        return [*found, *self._unmatched]

    def find_unmatched(
        self,
        folders: Iterable[str],
        excluded: Iterable[str],
        validated: Iterable[str],
        *,
        hidden: bool,
    ) -> None:
        """Note the patterns that match no file, of the configurations all of whose files a run has found.

        Args:
            folders: the folders in which files were searched.
            excluded: the files that were found and are excluded.
            validated: the other files, also those in place of charts and overlays that are rendered.
            hidden: hidden folders were searched, too.

        Raises:
            UsageError: a configuration above a file is wrong.
        """
        searched = tuple(os.path.join(os.path.abspath(folder), "") for folder in folders)
        files: dict[str, tuple[ConfigurationFile, list[str], list[str]]] = {}
        for path, is_validated in [
            *((path, False) for path in excluded),
            *((path, True) for path in validated),
        ]:
            configuration = self._for_file(path)
            if configuration is None or not configuration.has_patterns:
                continue
            if not os.path.join(configuration.folder, "").startswith(searched):
                continue
            absolute = os.path.abspath(path)
            _, found, kept = files.setdefault(configuration.file, (configuration, [], []))
            found.append(absolute)
            if is_validated:
                kept.append(absolute)
        for configuration, found, kept in files.values():
            sentence = configuration.unmatched(found, kept, hidden=hidden)
            if sentence:
                self._unmatched.append(sentence)

    @property
    def have_policies(self) -> bool:
        """True if the settings of a file seen so far, without a namespace, have policies."""
        return any(
            (settings.policies is not None or settings.admission_policies is not None)
            and not settings.namespace
            for settings in self._resolved.values()
        )

    def excludes(self, path: str) -> bool:
        """Return True if a configuration or the command line excludes a file.

        Raises:
            UsageError: a configuration above it is wrong, or a policy.
        """
        folder = _folder_of(path)
        excluded = self._excluded.get(folder)
        if excluded is None:
            excluded = self._excluded[folder] = self._patterns(folder)
        if not excluded or path == STDIN:
            return False
        from jobsworth.files.configuration.path_patterns import matches_below

        absolute = os.path.abspath(path)
        return any(matches_below(base, pattern, absolute) for base, pattern in excluded)

    def excluded_below_root(self, path: str) -> str:
        """Return the configuration below the root of a repository that excludes a file; empty without one.

        The owners of the root may not know it. That of the current folder is not a surprise.

        Raises:
            UsageError: a configuration above the file is wrong.
        """
        configuration = self._for_file(path)
        if configuration is None or not self._is_below_root(configuration):
            return ""
        from jobsworth.files.configuration.path_patterns import matches_below

        absolute = os.path.abspath(path)
        excludes = any(
            matches_below(configuration.folder, pattern, absolute)
            for pattern in configuration.exclude
        )
        return configuration.file if excludes else ""

    def _is_below_root(self, configuration: ConfigurationFile) -> bool:
        folder, here = configuration.folder, os.getcwd()
        return not (
            configuration is self._given
            or is_root(folder)
            or here == folder
            or here.startswith(os.path.join(folder, ""))
        )

    def _patterns(self, folder: str) -> list[tuple[str, str]]:
        """Return the patterns of excluded files for a folder, each with the folder that it is below."""
        configuration = self._nearest(folder)
        self._settings_below(configuration)  # so that errors come before the first report
        patterns = [(os.getcwd(), pattern) for pattern in self._exclude]
        if configuration is not None:
            patterns += [(configuration.folder, pattern) for pattern in configuration.exclude]
        return patterns

    def _settings_below(self, configuration: ConfigurationFile | None) -> ResolvedSettings:
        key = configuration.file if configuration is not None else ""
        settings = self._resolved.get(key)
        if settings is None:
            given = self._merged(configuration)
            settings = self._resolved[key] = resolved(given, policies_of(given))
        return settings

    def _merged(self, configuration: ConfigurationFile | None) -> Settings:
        if configuration is None:
            return self._overrides
        return merged(self._overrides, configuration.settings)

    def _for_file(self, path: str) -> ConfigurationFile | None:
        if self._isolated or self._given is not None:
            return self._given
        return self._nearest(_folder_of(path))

    def _nearest(self, folder: str) -> ConfigurationFile | None:
        if self._isolated or self._given is not None:
            return self._given
        if folder not in self._nearest_of:
            self._nearest_of[folder] = self._above(os.path.abspath(folder))
        return self._nearest_of[folder]

    def _above(self, folder: str) -> ConfigurationFile | None:
        passed = []
        found: ConfigurationFile | None = None
        while True:
            if folder in self._by_folder:
                found = self._by_folder[folder]
                break
            passed.append(folder)
            found = _in_folder(folder)
            parent = os.path.dirname(folder)
            if found is not None or parent == folder or is_root(folder) or folder == self._home:
                break
            folder = parent
        for each in passed:
            self._by_folder[each] = found
        return found


def _folder_of(path: str) -> str:
    return "" if path == STDIN else folder_of(path)


def _in_folder(folder: str) -> ConfigurationFile | None:
    own = os.path.join(folder, OWN_FILE)
    if os.path.isfile(own) or os.path.islink(own):  # no link is passed over in silence
        from jobsworth.files.configuration.configuration_file import read_configuration

        return read_configuration(own)
    shared = os.path.join(folder, SHARED_FILE)
    if os.path.isfile(shared) and _has_mark(shared):
        from jobsworth.files.configuration.configuration_file import read_if_any

        return read_if_any(shared)
    return None


def _has_mark(path: str) -> bool:
    try:
        return SHARED_MARK in read_regular_file(path, MAX_MANIFEST_BYTES)
    except OSError:
        return False
