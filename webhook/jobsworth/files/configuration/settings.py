"""The settings that a command line and a configuration file both have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jobsworth.files.policies.profiles import ProfileChoice
from jobsworth.findings.finding import Severity, Threshold
from jobsworth.lint.lint_rule import Confidence
from jobsworth.record import Record

if TYPE_CHECKING:
    from jobsworth.kinds.kind_table import EmbeddedTemplate
    from jobsworth.policy.violation import Effect

_NO_CODES: frozenset[str] = frozenset()


class Settings(Record, kw_only=True):
    """Settings, each None (or empty) if it is not given.

    Attributes:
        release: the Kubernetes release.
        gates: feature gates that the API server sets differently from their defaults.
        gates_file: the configuration that sets feature gates, for messages.
        allow_privileged: the API server runs with ``--allow-privileged``.
        select: the reported codes.
        named: the codes of `select`, without those that ``default`` selects.
        ignore: codes that are not reported.
        severity: severities by code that override the defaults.
        policy: files and folders of policies.
        admission_policy: files and folders of admission policies.
        profile: the profile to apply, or ``none``.
        profile_enforcement: the strongest effect of a violation of the profile.
        fail_on: the lowest severity that makes the run fail, ``never``, or ``verdict``.
        namespace: of manifests that have none.
        min_confidence: the least confidence of the lint rules that are reported without being selected.
        kinds: further kinds that contain Jobs or Pod templates.
        jobset_version: the version of JobSet.
    """

    release: str | None = None
    gates: Mapping[str, bool] | None = None
    gates_file: str | None = None
    allow_privileged: bool | None = None
    select: frozenset[str] | None = None
    named: frozenset[str] | None = None
    ignore: frozenset[str] = _NO_CODES
    severity: Mapping[str, Severity] | None = None
    policy: tuple[str, ...] | None = None
    admission_policy: tuple[str, ...] | None = None
    profile: ProfileChoice | None = None
    profile_enforcement: Effect | None = None
    fail_on: Threshold | None = None
    namespace: str | None = None
    min_confidence: Confidence | None = None
    kinds: tuple[EmbeddedTemplate, ...] | None = None
    jobset_version: str | None = None


def merged(over: Settings, under: Settings) -> Settings:
    """Return settings of which the first ones take precedence.

    Feature gates add up. So do ignored codes, unless the first settings select codes; and the enforcement of
    the second ones counts only with a profile.
    """
    given = {name: getattr(over, name) for name in Settings._fields}
    given = {name: value for name, value in given.items() if value is not None}
    settings = under.replace(**given).replace(
        gates={**(under.gates or {}), **(over.gates or {})},
        ignore=over.ignore if over.select is not None else over.ignore | under.ignore,
    )
    if settings.profile is None:
        return settings.replace(profile_enforcement=over.profile_enforcement)
    return settings
