"""The settings of a file, ready for its evaluation."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer, UnknownGate, UnknownRelease
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.policies.profiles import profile_of
from jobsworth.findings.finding import Threshold
from jobsworth.lint.lint_rule import DEFAULT_CONFIDENCE
from jobsworth.lint.selection import Selection
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.kinds.kind_table import KindTable
    from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
    from jobsworth.policy.policy_set import PolicySet


class ResolvedSettings:
    """The settings of a file: API server, lint rules and policies.

    Attributes:
        server: the API server whose validation applies.
        selection: the reported rules and their severity.
        policies: the organization's policies; None for none.
        fail_on: the lowest severity whose findings make the run fail, ``never``, or ``verdict``.
        namespace: of manifests that have none; empty for the server's own default.
        kinds: the kinds that contain Jobs or Pod templates; None for the shipped ones.
        admission_policies: the admission policies of the cluster; None for none.
    """

    def __init__(
        self,
        server: ApiServer,
        selection: Selection,
        policies: PolicySet | None = None,
        fail_on: Threshold = "error",
        namespace: str = "",
        *,
        kinds: KindTable | None = None,
        admission_policies: AdmissionPolicySet | None = None,
    ) -> None:
        self.server = server
        self.selection = selection
        self.policies = policies
        self.fail_on: Threshold = fail_on
        self.namespace = namespace
        self.kinds = kinds
        self.admission_policies = admission_policies

    @cached_property
    def evaluator(self) -> Evaluator:
        """The evaluator of objects with these settings."""
        from jobsworth.evaluation.evaluator import Evaluator

        return Evaluator(
            self.server,
            self.selection,
            self.policies,
            kinds=self.kinds,
            admission_policies=self.admission_policies,
        )

    @cached_property
    def evaluator_of_failing(self) -> Evaluator:
        """An evaluator for a report of what makes a run fail: it does not lint a Job that cannot fail it."""
        can_fail = (
            self.fail_on in ("warning", "info")
            or not self.selection.is_default
            or self.policies is not None
            or self.admission_policies is not None
        )
        if can_fail:
            return self.evaluator
        from jobsworth.evaluation.evaluator import Evaluator

        return Evaluator(self.server, self.selection, kinds=self.kinds, lint_accepted=False)

    def without(self, codes: frozenset[str]) -> ResolvedSettings:
        """Return the settings with more codes ignored."""
        selection = self.selection.without(codes)
        return ResolvedSettings(
            self.server,
            selection,
            self.policies,
            self.fail_on,
            self.namespace,
            kinds=self.kinds,
            admission_policies=self.admission_policies,
        )


def resolved(settings: Settings, policies: PolicySet | None) -> ResolvedSettings:
    """Return settings with the defaults of those that are not given.

    Args:
        settings: the settings of a file.
        policies: the policies that they name: see :func:`policies_of`.

    Raises:
        UsageError: the release or a gate is unknown, or cannot be set so; or an admission policy is invalid.
    """
    selection = Selection(
        select=settings.select,
        ignore=settings.ignore,
        severity=settings.severity or {},
        named=settings.named or frozenset(),
        min_confidence=settings.min_confidence or DEFAULT_CONFIDENCE,
    )
    server = _server_of(settings)
    return ResolvedSettings(
        server,
        selection,
        policies,
        settings.fail_on or "error",
        settings.namespace or "",
        kinds=_kinds_of(settings),
        admission_policies=_admission_policies_of(settings, server),
    )


def _admission_policies_of(settings: Settings, server: ApiServer) -> AdmissionPolicySet | None:
    if not settings.admission_policy:
        return None
    from jobsworth.files.policies.admission_policy_files import (
        load_admission_policies,  # most runs have none
    )

    return load_admission_policies(settings.admission_policy, server.release)


def _kinds_of(settings: Settings) -> KindTable | None:
    if not settings.kinds and settings.jobset_version is None:
        return None
    from jobsworth.kinds.kind_table import KindTable  # few configurations have kinds of their own

    return KindTable(settings.kinds or (), settings.jobset_version or "")


def _server_of(settings: Settings) -> ApiServer:
    try:
        return ApiServer(
            settings.release or NEWEST_RELEASE,
            settings.gates,
            allow_privileged=settings.allow_privileged,
        )
    except (UnknownRelease, UnknownGate) as error:
        if settings.gates_file is None:
            raise UsageError(str(error)) from None
        raise UsageError(f"{settings.gates_file}: feature-gates: {error}") from None


def policies_of(settings: Settings) -> PolicySet | None:
    """Load the policies that settings name; return None if they name none.

    Raises:
        UsageError: a policy is invalid, or the profile's enforcement has no profile.
    """
    profile = profile_of(settings.profile, settings.profile_enforcement)
    if not settings.policy and profile is None:
        return None
    from jobsworth.files.policies.policy_files import load_policies  # most runs have no policies

    return load_policies(settings.policy or (), profile)
