"""Settings of a file: the command line's, then those of the nearest configuration above it.

A search for a configuration tests two file names per folder upwards, up to the root of the repository,
the home folder, or the root of the file system: whoever may write to a folder above a repository must
not switch its checks off. The module that
reads one (:mod:`jobsworth.files.configuration.configuration_file`) is imported where there is one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jobsworth.api.api_server import (
    NEWEST_RELEASE,
    ApiServer,
    UnknownGate,
    UnknownRelease,
    parse_gates,
)
from jobsworth.files.policies.profiles import profile_of
from jobsworth.files.repository_root import folder_of, is_root
from jobsworth.lint.selection import Selection
from jobsworth.regular_files import MAX_MANIFEST_BYTES, read_regular_file
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.files.configuration.configuration_file import ConfigurationFile
    from jobsworth.files.policies.policy_files import PolicyFiles
    from jobsworth.files.policies.profiles import Profile, ProfileChoice
    from jobsworth.findings.finding import Threshold
    from jobsworth.policy.violation import Effect

    LoadPolicies = Callable[[Sequence[str], Profile | None], PolicyFiles | None]

OWN_FILE, SHARED_FILE = ".jobsworth.yaml", "pyproject.toml"
SHARED_MARK = b"tool.jobsworth"
"""A pyproject.toml without these bytes has no [tool.jobsworth] and is not parsed."""

STDIN = "-"


class ResolvedSettings:
    """The settings of a file: API server, lint rules and policies.

    Attributes:
        server: the API server whose validation applies.
        selection: the reported rules and their severity.
        policies: the organization's policies; None for none.
        fail_on: the lowest severity whose findings make the run fail, or ``never``.
        namespace: of manifests that have none; empty for the server's own default.
    """

    __slots__ = (
        "_evaluator", "_without_lint", "fail_on", "namespace", "policies", "selection", "server",
    )  # fmt: skip

    def __init__(
        self,
        server: ApiServer,
        selection: Selection,
        policies: PolicyFiles | None = None,
        fail_on: Threshold = "error",
        namespace: str = "",
    ) -> None:
        self.server = server
        self.selection = selection
        self.policies = policies
        self.fail_on: Threshold = fail_on
        self.namespace = namespace
        self._evaluator: Evaluator | None = None
        self._without_lint: Evaluator | None = None

    @property
    def evaluator(self) -> Evaluator:
        """The evaluator of objects with these settings; created at the first use."""
        if self._evaluator is None:
            from jobsworth.evaluation.evaluator import Evaluator

            policies = None if self.policies is None else self.policies.policies
            self._evaluator = Evaluator(self.server, self.selection, policies)
        return self._evaluator

    @property
    def evaluator_without_lint(self) -> Evaluator:
        """An evaluator that does not run lint rules, other than those that policies name."""
        if self._without_lint is None:
            from jobsworth.evaluation.evaluator import Evaluator

            policies = None if self.policies is None else self.policies.policies
            self._without_lint = Evaluator(self.server, self.selection, policies, lint=False)
        return self._without_lint

    @property
    def lint_fails_no_run(self) -> bool:
        """True if the findings of lint rules do not change the exit code: by default, none is an error."""
        return self.selection.is_default and self.fail_on in ("error", "never")

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle without the rules: they are functions, which the other process imports itself.
        return ResolvedSettings, (
            self.server, self.selection, self.policies, self.fail_on, self.namespace,
        )  # fmt: skip

    def without(self, codes: frozenset[str]) -> ResolvedSettings:
        """Return the settings with more codes ignored."""
        selection = self.selection.without(codes)
        return ResolvedSettings(self.server, selection, self.policies, self.fail_on, self.namespace)


class Overrides:
    """Settings from the command line, which override any configuration.

    Args:
        release: the Kubernetes release; None if the command line has none.
        gates: feature gates, added to those of a configuration.
        allow_privileged: the server runs with ``--allow-privileged``; None if the command line does not say.
        select: codes that replace a configuration's `select` and `ignore`.
        ignore: codes that are ignored as well.
        policy: files and folders of policies, which replace those of a configuration.
        load_policies: reads policies; by default, an invalid one raises UsageError.
        profile, profile_enforcement: the profile, which replaces that of a configuration; None if not given.
        fail_on: the lowest severity that makes the run fail; None if not given.
        namespace: of manifests that have none; None if not given.
        exclude: patterns of excluded files, from the current folder.

    Raises:
        UsageError: a value is wrong.
    """

    __slots__ = (
        "_load_policies", "allow_privileged", "exclude", "fail_on", "gates", "ignore", "named", "namespace",
        "policy", "profile", "profile_enforcement", "release", "select",
    )  # fmt: skip

    def __init__(
        self,
        *,
        release: str | None = None,
        gates: str | None = None,
        allow_privileged: bool | None = None,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        policy: Sequence[str] = (),
        load_policies: LoadPolicies | None = None,
        profile: ProfileChoice | None = None,
        profile_enforcement: Effect | None = None,
        fail_on: Threshold | None = None,
        namespace: str | None = None,
        exclude: Sequence[str] = (),
    ) -> None:
        self.fail_on: Threshold | None = fail_on
        self.namespace = namespace
        self.exclude = exclude
        self.named: frozenset[str] = frozenset()
        self.policy = policy
        self._load_policies = load_policies or _policies
        self.profile = profile
        self.profile_enforcement = profile_enforcement
        self.release = release
        self.allow_privileged = allow_privileged
        self.select: frozenset[str] | None = None
        self.ignore: frozenset[str] = frozenset()
        try:
            if release is not None:
                ApiServer(release)
            self.gates: Mapping[str, bool] = parse_gates(gates or "")
        except (UnknownRelease, UnknownGate) as error:
            raise UsageError(str(error)) from None
        if select is not None or ignore:
            self._choose(select, ignore)

    def _choose(self, select: Sequence[str] | None, ignore: Sequence[str]) -> None:
        from jobsworth.lint.catalogue import UnknownCode
        from jobsworth.lint.selection import ignored, named, selected

        option = "--select"
        try:
            if select is not None:
                self.select, self.named = selected(select), named(select)
            option = "--ignore"
            self.ignore = ignored(ignore)
        except UnknownCode as error:
            raise UsageError(f"{option}: {error}") from None

    def settings(self, configuration: ConfigurationFile | None) -> ResolvedSettings:
        """Return the settings below a configuration, or without one.

        Raises:
            UsageError: the release or a gate is unknown, or cannot be set so; a policy is wrong.
        """
        select, ignore, gates, policy = self.select, self.ignore, self.gates, self.policy
        release, privileged = self.release or NEWEST_RELEASE, self.allow_privileged
        severity = {}
        chosen, fail_on, namespace = self.named, self.fail_on, self.namespace
        profile, enforcement = self.profile, self.profile_enforcement
        if configuration is not None:
            if select is None:
                select, chosen = configuration.select, configuration.named
                ignore = ignore | configuration.ignore
            gates = {**configuration.gates, **gates}
            release = self.release or configuration.release or NEWEST_RELEASE
            privileged = configuration.allow_privileged if privileged is None else privileged
            severity = configuration.severity
            policy = policy or configuration.policy
            fail_on = fail_on or configuration.fail_on
            namespace = configuration.namespace if namespace is None else namespace
            profile = profile or configuration.profile
            if profile is not None:
                enforcement = enforcement or configuration.profile_enforcement
        try:
            server = ApiServer(release, gates, allow_privileged=privileged)
        except (UnknownRelease, UnknownGate) as error:
            if configuration is None or not configuration.gates:
                raise UsageError(str(error)) from None
            raise UsageError(f"{configuration.file}: feature-gates: {error}") from None
        selection = Selection(select=select, ignore=ignore, severity=severity, named=chosen)
        return ResolvedSettings(
            server,
            selection,
            self._load_policies(policy, profile_of(profile, enforcement)),
            fail_on or "error",
            namespace or "",
        )

    def excludes(self, path: str) -> bool:
        """Return True if the command line excludes a file, by its absolute path."""
        if not self.exclude:
            return False
        from jobsworth.files.configuration.path_patterns import matches_below

        return any(matches_below(os.getcwd(), pattern, path) for pattern in self.exclude)


def _policies(paths: Sequence[str], profile: Profile | None) -> PolicyFiles | None:
    if not paths and profile is None:
        return None
    from jobsworth.files.policies.policy_files import PolicyFiles  # most runs have no policies

    return PolicyFiles(tuple(paths), profile)


class Configurations:
    """Finds the settings of each file, and caches them by folder.

    Args:
        overrides: settings from the command line.
        file: the configuration for every file; None to look for the nearest one above each.
        isolated: use no configuration.

    Raises:
        UsageError: the file cannot be read, or is wrong.
    """

    __slots__ = (
        "_by_folder",
        "_by_given",
        "_excluding",
        "_home",
        "_overrides",
        "_search",
        "_settings",
        "_without",
    )

    def __init__(
        self, overrides: Overrides, *, file: str | None = None, isolated: bool = False
    ) -> None:
        self._overrides = overrides
        self._search = file is None and not isolated
        self._home = os.path.expanduser("~")
        self._by_folder: dict[str, ConfigurationFile | None] = {}
        self._by_given: dict[str, ConfigurationFile | None] = {}  # folders as the paths name them
        self._excluding: dict[str, list[Callable[[str], bool]]] = {}
        self._settings: dict[str, ResolvedSettings] = {}
        self._without: ConfigurationFile | None = None
        if file is not None:
            from jobsworth.files.configuration.configuration_file import read_configuration

            self._without = read_configuration(file)

    def of(self, path: str) -> ResolvedSettings:
        """Return the settings of a file; ``-`` is standard input, which uses the current folder.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        configuration = self._nearest(path)
        settings = self._settings_of(configuration)
        if configuration is not None and configuration.per_file_ignores and path != STDIN:
            codes = configuration.ignored_in(os.path.abspath(path))
            if codes:
                return settings.without(codes)
        return settings

    @property
    def have_policies(self) -> bool:
        """True if the settings of a file seen so far, without a namespace, have policies."""
        return any(
            settings.policies is not None and not settings.namespace
            for settings in self._settings.values()
        )

    def excludes(self, path: str) -> bool:
        """Return True if a configuration excludes a file.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        folder = "" if path == STDIN else folder_of(path)
        excluding = self._excluding.get(folder)
        if excluding is None:
            configuration = self._nearest(path)
            self._settings_of(configuration)
            excluding = self._excluding[folder] = [
                each.excludes for each in (configuration, self._overrides) if each and each.exclude
            ]
        if not excluding or path == STDIN:
            return False
        return any(excludes(os.path.abspath(path)) for excludes in excluding)

    def _settings_of(self, configuration: ConfigurationFile | None) -> ResolvedSettings:
        key = configuration.file if configuration is not None else ""
        settings = self._settings.get(key)
        if settings is None:
            settings = self._settings[key] = self._overrides.settings(configuration)
        return settings

    def _nearest(self, path: str) -> ConfigurationFile | None:
        if not self._search:
            return self._without
        given = "" if path == STDIN else folder_of(path)
        if given not in self._by_given:
            self._by_given[given] = self._above(os.path.abspath(given))
        return self._by_given[given]

    def _above(self, folder: str) -> ConfigurationFile | None:
        unknown = []
        found: ConfigurationFile | None = None
        while True:
            if folder in self._by_folder:
                found = self._by_folder[folder]
                break
            unknown.append(folder)
            found = _in_folder(folder)
            parent = os.path.dirname(folder)
            if found is not None or parent == folder or is_root(folder) or folder == self._home:
                break
            folder = parent
        for each in unknown:
            self._by_folder[each] = found
        return found


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
