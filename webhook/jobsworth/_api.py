"""The public functions; import them from :mod:`jobsworth`."""

from __future__ import annotations

from jobsworth.api.api_server import NEWEST_RELEASE, RELEASES, UnknownGate, UnknownRelease
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.library.explanations import explain
from jobsworth.library.manifests import KubernetesModel, Manifest
from jobsworth.library.simulations import Simulation, simulate
from jobsworth.library.verdicts import default, evaluate, validate, validate_text
from jobsworth.policy.problems import BadPolicy
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import CannotDecode, UnknownKind
from jobsworth.whatif.explanation.explanation import Explanation
from jobsworth.whatif.simulation.questions import BadQuestion
from jobsworth.whatif.simulation.requirements import BadRequirement
from jobsworth.whatif.simulation.run_limits import SimulationTooLarge
from jobsworth.whatif.simulation.scenario_reader import BadScenario

    from jobsworth.following.cluster_errors import ClusterError, JobNotFound
    from jobsworth.following.wait_functions import Waited, wait, wait_async
    from jobsworth.following.wait_options import Progress
    from jobsworth.following.why_functions import why, why_async, why_recorded
    from jobsworth.whatif.why.cron_job_diagnosis import CronJobDiagnosis
    from jobsworth.whatif.why.diagnosis import Diagnosis
    from jobsworth.whatif.why.job_set_diagnosis import JobSetDiagnosis

__all__ = [
    "NEWEST_RELEASE",
    "RELEASES",
    "BadPolicy",
    "BadQuestion",
    "BadRequirement",
    "BadScenario",
    "CannotDecode",
    "ClusterError",
    "CronJobDiagnosis",
    "Diagnosis",
    "Evaluation",
    "Explanation",
    "Finding",
    "InputError",
    "KubernetesModel",
    "JobNotFound",
    "JobSetDiagnosis",
    "LocatedFinding",
    "Manifest",
    "Simulation",
    "SimulationTooLarge",
    "Progress",
    "UnknownGate",
    "UnknownKind",
    "UnknownRelease",
    "Waited",
    "default",
    "evaluate",
    "explain",
    "simulate",
    "validate",
    "validate_text",
    "wait",
    "wait_async",
    "why",
    "why_async",
    "why_recorded",
]

_LATER = {
    "ClusterError": "following.cluster_errors",
    "CronJobDiagnosis": "whatif.why.cron_job_diagnosis",
    "Diagnosis": "whatif.why.diagnosis",
    "JobNotFound": "following.cluster_errors",
    "JobSetDiagnosis": "whatif.why.job_set_diagnosis",
    "Progress": "following.wait_options",
    "Waited": "following.wait_functions",
    "wait": "following.wait_functions",
    "wait_async": "following.wait_functions",
    "why": "following.why_functions",
    "why_async": "following.why_functions",
    "why_recorded": "following.why_functions",
}
"""The module of each name that is imported when it is used: the others take half the time."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a public name of another module."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"jobsworth.{_LATER[name]}"), name)


def validate(
    manifest: dict[str, Any],
    *,
    old: dict[str, Any] | None = None,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> list[Finding]:
    """Return the errors and warnings that a kube-apiserver would return for a Job or CronJob.

    This is the server's verdict only: :func:`evaluate` also runs the lint rules and your policies.

    Args:
        manifest: the object, as JSON decodes it.
        old: for an update: the object that is stored, or the manifest from which it was made.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``, as most installers set it up; False
            for a server that rejects privileged containers.

    Returns:
        The findings. The server accepts the object if none of them has the severity ``error``.

    Raises:
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        UnknownRelease: the release is not one of :data:`RELEASES`.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    _check_manifest(manifest)
    return _engine(kubernetes_version, feature_gates, allow_privileged).validate(manifest, old)


def validate_text(
    text: str | bytes,
    *,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> list[LocatedFinding]:
    """Return the findings of the API server and of the lint rules in the text of a manifest, by position.

    The text is read as kubectl reads it. It may have several documents; those of other kinds are skipped.
    Comments ``# jobsworth: ignore[JW204]`` apply, a configuration file does not.

    Args:
        text: YAML or JSON.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``, as most installers set it up; False
            for a server that rejects privileged containers.

    Returns:
        The findings, each with its line, column and, in ``finding``, its code, field, message and fix. A
        document that cannot be parsed has a finding with the code JW090.

    Raises:
        UnknownRelease: the release is not one of :data:`RELEASES`.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    if not isinstance(text, str | bytes):
        raise TypeError(f"text must be a str or bytes, not {type(text).__name__}")
    server = _engine(kubernetes_version, feature_gates, allow_privileged).server
    settings = Settings(
        release=server.release, gates=feature_gates, allow_privileged=allow_privileged
    )
    evaluator = FileEvaluator(Configurations(settings, isolated=True))
    data = text.encode() if isinstance(text, str) else text
    return [located for result in evaluator.text("<text>", data) for located in result.findings]


def default(
    manifest: dict[str, Any],
    *,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> dict[str, Any]:
    """Return a Job or CronJob with the defaults that a kube-apiserver fills in.

    The result omits the values that the server generates: the UID, the selector and its labels, the status.

    Raises:
        CannotDecode: the server cannot decode the object; ``findings`` lists the errors.
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        UnknownRelease: the release is not one of :data:`RELEASES`.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    _check_manifest(manifest)
    return _engine(kubernetes_version, feature_gates, allow_privileged).default(manifest)


def evaluate(
    manifest: dict[str, Any],
    *,
    old: dict[str, Any] | None = None,
    policies: Sequence[Mapping[str, Any]] = (),
    namespace: str = "",
    namespace_labels: Mapping[str, str] | None = None,
    user: str | None = None,
    groups: Sequence[str] = (),
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> Evaluation:
    """Evaluate a Job or CronJob as ``jobsworth validate --policy`` does: API verdict, lint rules, policies.

    Args:
        manifest: the object, as JSON decodes it.
        old: for an update: the object that is stored, or the manifest from which it was made.
        policies: JobPolicy documents, as YAML or JSON decodes them.
        namespace: the namespace of the request, if the manifest has none.
        namespace_labels: the labels of the namespace, if known.
        user: the user name of the requester, if known.
        groups: the groups of the user.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``, as most installers set it up; False
            for a server that rejects privileged containers.

    Returns:
        The findings of each source, and all of them merged. ``known`` is False if the object is
        neither a Job nor a CronJob.

    Raises:
        BadPolicy: a policy is invalid; the exception lists every problem.
        UnknownRelease: the release is not one of :data:`RELEASES`.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    _check_manifest(manifest)
    policy_set = None
    if policies:
        from jobsworth.policy.reader import read

        policy_set = read(policies)
    subject = Subject(
        manifest,
        old=old,
        namespace=namespace,
        namespace_labels=namespace_labels,
        user=user,
        groups=tuple(groups),
    )
    server = _engine(kubernetes_version, feature_gates, allow_privileged).server
    return Evaluator(server, policies=policy_set).evaluate(subject)


def _check_release(release: object) -> None:
    if not isinstance(release, str | None):
        given = type(release).__name__
        raise TypeError(f'kubernetes_version must be a str such as "1.30", not {given} {release!r}')


def _check_manifest(manifest: object) -> None:
    if isinstance(manifest, str | bytes):
        raise TypeError(
            f"manifest must be a dict, not {type(manifest).__name__}: decode the text first, or use "
            "jobsworth.validate_text, which reads it as kubectl does"
        )


def _engine(
    release: str | None, gates: Mapping[str, bool] | None, allow_privileged: bool
) -> Engine:
    _check_release(release)
    server = ApiServer(release or NEWEST_RELEASE, gates, allow_privileged=allow_privileged)
    return engine_for(server)
