"""Validate, default and evaluate objects and texts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, overload

from jobsworth.api.api_server import ALLOW_PRIVILEGED
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.fixes.api_fixes import with_fixes
from jobsworth.evaluation.fixes.api_hints import with_changes
from jobsworth.evaluation.subject import Subject
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.named_paths import has_object, text_without_object
from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.library.arguments import api_server, check_type, documents, seconds_of, shown, texts
from jobsworth.library.manifests import (
    Manifest,
    check_kind,
    check_one,
    for_each,
    is_list,
    manifest_of,
    scalars_of,
    stored_of,
)
from jobsworth.manifests.parsing.manifest_files import TEXT
from jobsworth.policy.policy_set import PolicySet
from jobsworth.validation.engine import engine_for


@overload
def validate(
    manifest: Manifest,
    *,
    old: Manifest | None = None,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> list[Finding]: ...
@overload
def validate(
    manifest: Sequence[Manifest],
    *,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> list[list[Finding]]: ...
def validate(
    manifest: Manifest | Sequence[Manifest],
    *,
    old: Manifest | None = None,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> list[Finding] | list[list[Finding]]:
    """Return the errors and warnings that a kube-apiserver would return for a Job or CronJob.

    This is the server's verdict only: :func:`evaluate` also runs the lint rules and your policies.

    Args:
        manifest: the object: a mapping as in a manifest, or a model of the kubernetes package such as
            ``V1Job``; or a list of these.
        old: for an update: the object that is stored, or the manifest from which it was made.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``, as most installers set it up; False
            for a server that rejects privileged containers.

    Returns:
        The findings, with fixes and hints; of a list, the findings of each object. The server accepts an
        object if none of its findings has the severity ``error``.

    Raises:
        TypeError: the object is neither a mapping nor a model, a value in it has no form in JSON, or another
            argument has another type.
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``, or `old` is of another kind.
        UnknownRelease: the release is older than those of :data:`RELEASES`, or cannot be read. A newer one
            is judged as the newest, with a warning (NewerRelease).
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    engine = engine_for(api_server(kubernetes_version, feature_gates, allow_privileged))
    given = None if old is None else manifest_of(old, "old")

    def findings(value: dict[str, Any]) -> list[Finding]:
        check_kind(value)
        stored = None if given is None else stored_of(value, given)
        found = engine.validate(value, stored)
        if not any(finding.severity == "error" for finding in found):
            return found
        fixed = with_fixes(found, value, engine.server, scalars_of(value))
        return with_changes(fixed, value, stored, engine)

    if is_list(manifest):
        check_one(manifest, old)
        return for_each(manifest, findings)
    return findings(manifest_of(manifest, or_list=True))


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
        document that cannot be parsed has a finding with the code JW090, a text without an object a warning
        with the code JW097, which has no line and column.

    Raises:
        TypeError: the text, or another argument, has another type.
        UnknownRelease: the release is older than those of :data:`RELEASES`, or cannot be read. A newer one
            is judged as the newest, with a warning (NewerRelease).
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    _check_text(text)
    server = api_server(kubernetes_version, feature_gates, allow_privileged)
    gates = tuple(sorted((feature_gates or {}).items()))
    evaluator = _text_evaluator(server.release, gates, allow_privileged)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    results = evaluator.text(TEXT, data)
    findings = [located for result in results for located in result.findings]
    return findings if has_object(results) else [*findings, text_without_object()]


def _check_text(text: object) -> None:
    if not isinstance(text, str | bytes):
        hint = ": pass path.read_text()" if isinstance(text, os.PathLike) else ""
        raise TypeError(f"text must be a str or bytes, not {type(text).__name__}{hint}")


@lru_cache(maxsize=8)
def _text_evaluator(
    release: str, gates: tuple[tuple[str, bool], ...], allow_privileged: bool
) -> FileEvaluator:
    """Return the evaluator of texts for an API server; those of the last ones are kept."""
    settings = Settings(release=release, gates=dict(gates), allow_privileged=allow_privileged)
    return FileEvaluator(Configurations(settings, isolated=True))


@overload
def default(
    manifest: Manifest,
    *,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> dict[str, Any]: ...
@overload
def default(
    manifest: Sequence[Manifest],
    *,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> list[dict[str, Any]]: ...
def default(
    manifest: Manifest | Sequence[Manifest],
    *,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> dict[str, Any] | list[dict[str, Any]]:
    """Return a Job or CronJob with the defaults that a kube-apiserver fills in.

    The result omits the values that the server generates: the UID, the selector and its labels, the status.

    Args:
        manifest: the object, or a list of objects, as for :func:`validate`.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``.

    Raises:
        CannotDecode: the server cannot decode the object; ``findings`` lists the errors.
        TypeError: the object is neither a mapping nor a model, a value in it has no form in JSON, or another
            argument has another type.
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        UnknownRelease: the release is older than those of :data:`RELEASES`, or cannot be read. A newer one
            is judged as the newest, with a warning (NewerRelease).
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    engine = engine_for(api_server(kubernetes_version, feature_gates, allow_privileged))

    def defaulted(value: dict[str, Any]) -> dict[str, Any]:
        check_kind(value)
        return engine.default(value)

    if is_list(manifest):
        return for_each(manifest, defaulted)
    return defaulted(manifest_of(manifest, or_list=True))


@overload
def evaluate(
    manifest: Manifest,
    *,
    old: Manifest | None = None,
    policies: Sequence[Mapping[str, Any]] = (),
    namespace: str = "",
    namespace_labels: Mapping[str, str] | None = None,
    user: str | None = None,
    groups: Sequence[str] = (),
    now: datetime | None = None,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> Evaluation: ...
@overload
def evaluate(
    manifest: Sequence[Manifest],
    *,
    policies: Sequence[Mapping[str, Any]] = (),
    namespace: str = "",
    namespace_labels: Mapping[str, str] | None = None,
    user: str | None = None,
    groups: Sequence[str] = (),
    now: datetime | None = None,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> list[Evaluation]: ...
def evaluate(
    manifest: Manifest | Sequence[Manifest],
    *,
    old: Manifest | None = None,
    policies: Sequence[Mapping[str, Any]] = (),
    namespace: str = "",
    namespace_labels: Mapping[str, str] | None = None,
    user: str | None = None,
    groups: Sequence[str] = (),
    now: datetime | None = None,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> Evaluation | list[Evaluation]:
    """Evaluate a Job or CronJob as ``jobsworth validate --policy`` does: API verdict, lint rules, policies.

    Args:
        manifest: the object, or a list of objects, as for :func:`validate`.
        old: for an update: the object that is stored, or the manifest from which it was made.
        policies: JobPolicy documents, as YAML or JSON decodes them.
        namespace: the namespace of the request, if the manifest has none.
        namespace_labels: the labels of the namespace, if known.
        user: the user name of the requester, if known.
        groups: the groups of the user.
        now: the time of an update of a CronJob, for the rules on the run that it starts; without it they
            do not run.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``, as most installers set it up; False
            for a server that rejects privileged containers.

    Returns:
        The findings of each source, and all of them merged; of a list, one evaluation for each object.
        ``known`` is False if the object is neither a Job nor a CronJob.

    Raises:
        BadPolicy: a policy is invalid; the exception lists every problem.
        TypeError: the object is neither a mapping nor a model, a value in it has no form in JSON, or another
            argument has another type.
        ValueError: `now` is not in the years 1971 to 2199.
        UnknownKind: `old` is of another kind than the Job or CronJob, or an object has the keys of
            ``to_dict()`` of the kubernetes package.
        UnknownRelease: the release is older than those of :data:`RELEASES`, or cannot be read. A newer one
            is judged as the newest, with a warning (NewerRelease).
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    server = api_server(kubernetes_version, feature_gates, allow_privileged)
    evaluator = Evaluator(server, policies=_policies(policies))
    given = None if old is None else manifest_of(old, "old")
    for name, argument in (("namespace", namespace), ("user", user)):
        check_type(name, argument or "", str, "a str")
    if not isinstance(namespace_labels, Mapping | None):
        raise TypeError(f"namespace_labels must be a mapping, not {shown(namespace_labels)}")
    members = texts("groups", groups, "group names")
    seconds = None if now is None else seconds_of(now)

    def evaluation(value: dict[str, Any]) -> Evaluation:
        subject = Subject(
            value,
            old=None if given is None else stored_of(value, given),
            namespace=namespace,
            namespace_labels=namespace_labels,
            user=user,
            groups=members,
            now=seconds,
            written=scalars_of(value),
        )
        return evaluator.evaluate(subject)

    if is_list(manifest):
        check_one(manifest, old)
        return for_each(manifest, evaluation)
    return evaluation(manifest_of(manifest, or_list=True))


def _policies(policies: Sequence[Mapping[str, Any]]) -> PolicySet | None:
    given = documents("policies", policies, "JobPolicy documents")
    if not given:
        return None
    from jobsworth.policy.reader import read

    return read(given)
