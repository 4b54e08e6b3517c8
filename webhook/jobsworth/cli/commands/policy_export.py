"""``jobsworth policy export``: JobPolicies as admission policies of the API server."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import click

from jobsworth.api.api_server import NEWEST_RELEASE, RELEASES, ApiServer, UnknownRelease
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, group, option, words
from jobsworth.cli.policy_options import ProfileOptions, users_of
from jobsworth.documents.declared import Report, doc, report_text
from jobsworth.files.policies.profiles import profile_of
from jobsworth.manifests import Document
from jobsworth.policy.export.exported_policy import ExportedPolicy, Part
from jobsworth.policy.policy_set import PolicySet
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

EXIT_EXPORTED, EXIT_LEFT = 0, 1
ADMISSION_POLICY, CHART_VALUES = "validating-admission-policy", "chart-values"
MUTATING = "mutating-admission-policy"
NO_RECORD = (
    "note: exported defaults of Pods leave no record of what a client wrote: once one has changed, a Job "
    "that is applied again unchanged may be denied, where the webhook restores its template"
)
ON_DISK = ".static.k8s.io"
"""The end of the names of policies on the disk of an API server (KEP-5793).

From Kubernetes 1.37 on, it stores no policies with such names.
"""

MAX_SUFFIX = 100
_SUFFIX = re.compile(r"(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


class ExportOptions(Options):
    """The options of ``jobsworth policy export``."""

    to: str = option(
        "--to",
        default=ADMISSION_POLICY,
        type=click.Choice((ADMISSION_POLICY, CHART_VALUES, MUTATING)),
        help="Manifests for kubectl; or values of the Helm chart, with which the webhook leaves to the API "
        "server what it enforces; or the defaults, for Kubernetes 1.36 and later.",
    )
    kubernetes_version: str = option(
        "--kubernetes-version",
        default=NEWEST_RELEASE,
        metavar="RELEASE",
        help="The oldest release that must accept the result, from 1.30 on; default: the newest.",
    )
    profiles = group(ProfileOptions)
    exempt_namespaces: tuple[str, ...] = words(
        "--exempt-namespace",
        "exempt_namespaces",
        metavar="NAME,...",
        help="Namespaces to exempt beside kube-system, which is always exempt.",
    )
    queueing_controllers: tuple[str, ...] = words(
        "--queueing-controllers",
        metavar="NAMESPACE/NAME,...",
        help="Service accounts, such as Kueue's, whose mere scheduling updates are exempt.",
    )
    name_suffix: str = option(
        "--name-suffix",
        default="",
        metavar="TEXT",
        help="End every name with this text: .static.k8s.io for policies on the disk of the API server.",
    )
    strict: bool = flag(
        "--strict", help="Exit with 1 if a part of a policy is not exported, or not completely."
    )
    output: str = option(
        "--output",
        "-o",
        default="yaml",
        type=click.Choice(("yaml", "json")),
        help="YAML, or one JSON document with the objects and the parts that are left to the webhook.",
    )
    paths: tuple[str, ...] = arguments("paths", "[POLICY...]")


def run(options: ExportOptions) -> int:
    """Export policies, report what is left to the webhook, and return the exit code.

    Raises:
        UsageError: an option's value or a policy is invalid.
    """
    from jobsworth.files.policies.policy_files import load_with_documents
    from jobsworth.policy.export.admission_policies import documents as documents_of
    from jobsworth.policy.export.exported_policy import exported_policy
    from jobsworth.registration import NOT_QUEUEING, other_than_scheduling

    profile = profile_of(options.profiles.profile, options.profiles.profile_enforcement)
    if not options.paths and profile is None:
        raise UsageError("no policies: name a file or folder, or use --profile")
    minor = _minor(options.kubernetes_version)
    suffix, namespaces = _suffix(options.name_suffix), _namespaces(options.exempt_namespaces)
    if options.to == CHART_VALUES and suffix.endswith(ON_DISK):
        raise UsageError(
            f'--to chart-values: Kubernetes 1.37 and later store no policy whose name ends in "{ON_DISK}": '
            "leave out --name-suffix"
        )
    users = users_of(options.queueing_controllers)
    conditions = {NOT_QUEUEING: other_than_scheduling(users)} if users else {}
    policies, documents = load_with_documents(options.paths, profile)
    if options.to == MUTATING:
        return _export_defaults(options, policies, documents, minor)
    exported = []
    for policy in policies.policies:
        exported.append(exported_policy(_spec_of(documents[policy.name]), policy, minor))
    objects = documents_of(
        [each for one in exported for each in one.admission_policies],
        {each.name: each.hash for each in exported},
        suffix=suffix,
        exempt_namespaces=namespaces,
        conditions=conditions,
    )
    if options.output == "json":
        _print_json(exported, objects)
    else:
        _print_yaml(options.to, exported, objects)
    _report(exported, documents)
    _report_defaults(policies, documents, options.kubernetes_version)
    is_complete = not any(part.is_left for each in exported for part in each.parts)
    return EXIT_EXPORTED if is_complete or not options.strict else EXIT_LEFT


def _export_defaults(
    options: ExportOptions, policies: PolicySet, documents: Mapping[str, Document], minor: int
) -> int:
    """Print the defaults of policies as MutatingAdmissionPolicies, and report the others."""
    from jobsworth.policy.export.mutating_policies import OLDEST, mutating_policies

    if minor < OLDEST:
        raise UsageError(
            f"--kubernetes-version: MutatingAdmissionPolicies are in Kubernetes 1.{OLDEST} and later"
        )
    if options.queueing_controllers or options.name_suffix:
        raise UsageError(f"--to {MUTATING} takes no --queueing-controllers and no --name-suffix")
    objects, left = mutating_policies(policies.policies, options.exempt_namespaces)
    if options.output == "json":
        parts = [LeftDefault(policy=e.policy, field=e.field, reason=e.reason) for e in left]
        print(report_text(DefaultsReport(left=parts, objects=objects)))
    else:
        _print_yaml(options.to, [], objects)
    for one in left:
        place = documents[one.policy].position(one.field)
        position = f"{documents[one.policy].file}:{place.line}:{place.column}"
        print(printable(f"{position}: {one.field}: not exported: {one.reason}"), file=sys.stderr)
    if any(policy.defaults is not None and policy.defaults.pod for policy in policies.policies):
        print(NO_RECORD, file=sys.stderr)
    return EXIT_LEFT if left and options.strict else EXIT_EXPORTED


def _spec_of(document: Document) -> dict[str, Any]:
    value: Any = document.value
    found: dict[str, Any] = value
    return found


def _minor(release: str) -> int:
    from jobsworth.policy.export.exported_policy import OLDEST

    try:
        minor = ApiServer(release).minor
    except UnknownRelease as error:
        raise UsageError(str(error)) from None
    if minor < OLDEST:
        raise UsageError(
            f"--kubernetes-version: Kubernetes {release} has no ValidatingAdmissionPolicy of "
            f"admissionregistration.k8s.io/v1: name 1.{OLDEST} to {RELEASES[-1]}"
        )
    return minor


def _suffix(suffix: str) -> str:
    if len(suffix) > MAX_SUFFIX or not _SUFFIX.fullmatch(suffix):
        raise UsageError(
            f'--name-suffix: "{suffix}" cannot end the name of an object: write a dot and a DNS name, such '
            f"as .static.k8s.io, of at most {MAX_SUFFIX} characters together"
        )
    return suffix


def _namespaces(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if not _NAMESPACE.fullmatch(name):
            raise UsageError(f'--exempt-namespace: "{name}" cannot be the name of a namespace')
    return names


def _print_yaml(
    to: str, exported: Sequence[ExportedPolicy], objects: Sequence[dict[str, Any]]
) -> None:
    from jobsworth.cli.reporting import as_utf8
    from jobsworth.manifests.editing.yaml_writer import to_yaml

    as_utf8(sys.stdout)
    if to == CHART_VALUES:
        hashes = {each.name: each.hash for each in exported if each.admission_policies}
        native = {"policies": hashes, "objects": list(objects)}
        print(to_yaml([{"enforcement": {"native": native}}]), end="")
    elif objects:
        print(to_yaml(objects), end="")


class LeftPart(Report):
    """A part of a policy that is left to the webhook."""

    field: str
    reason: str
    exported_in_part: bool


class ExportedParts(Report):
    """The parts of a policy."""

    name: str
    hash: Annotated[
        str | None, doc("The hash of the exported objects; null if nothing is exported.")
    ]
    exported: list[str]
    left: list[LeftPart]


class LeftDefault(Report):
    """A default that is left to the webhook."""

    policy: str
    field: str
    reason: str


class DefaultsReport(Report):
    """The defaults that are exported, and those that are left."""

    left: list[LeftDefault]
    objects: Annotated[list[dict[str, Any]], doc("The policies of the API server.")]


class ExportReport(Report):
    """What is exported, and what is left."""

    policies: list[ExportedParts]
    objects: Annotated[list[dict[str, Any]], doc("The policies of the API server.")]


def _print_json(exported: Sequence[ExportedPolicy], objects: Sequence[dict[str, Any]]) -> None:
    policies = [
        ExportedParts(
            name=each.name,
            hash=each.hash if each.admission_policies else None,
            exported=[part.path for part in each.parts if not part.is_left],
            left=[
                LeftPart(field=part.path, reason=part.reason, exported_in_part=part.is_exported)
                for part in each.parts
                if part.is_left
            ],
        )
        for each in exported
    ]
    print(report_text(ExportReport(policies=policies, objects=list(objects))))


def _report(exported: Sequence[ExportedPolicy], documents: Mapping[str, Document]) -> None:
    """Report on standard error what is left to the webhook."""
    for each in exported:
        for part in filter(lambda part: part.is_left, each.parts):
            place = documents[each.name].position(part.path)
            position = f"{documents[each.name].file}:{place.line}:{place.column}"
            print(printable(f"{position}: {part.path}: {_sentence(part)}"), file=sys.stderr)
    parts = [part for each in exported for part in each.parts]
    complete = sum(not part.is_left for part in parts)
    print(f"{complete} of {len(parts)} parts of the policies exported", file=sys.stderr)


def _report_defaults(policies: PolicySet, documents: Mapping[str, Document], release: str) -> None:
    """Report the defaults that exported limits need, which only the mutating webhook sets."""
    from jobsworth.policy.export.needed_defaults import needed_defaults

    for policy in policies.policies:
        for needed in needed_defaults(policy, ApiServer(release)):
            document = documents[policy.name]
            place = document.position(needed.field)
            position = f"{document.file}:{place.line}:{place.column}"
            print(printable(f"{position}: warning: {needed.field}: {needed}"), file=sys.stderr)


def _sentence(part: Part) -> str:
    return (
        f"exported in part: {part.reason}" if part.is_exported else f"not exported: {part.reason}"
    )


COMMAND = Command(
    "policy export",
    help="""Write JobPolicies as admission policies, which the API server enforces without a webhook.

POLICY is a file or folder of JobPolicy documents. The result has a policy and a binding for each kind of
object and effect, or with --to mutating-admission-policy those that set the defaults. Lint rules are not
exported: standard error lists what is left to the webhook, with the reason. Exit codes: 0; 1 with --strict
if something is left; 2 if a policy is invalid.""",
    epilog="""\b
Examples:
  jobsworth policy export policies/ | kubectl apply -f -
  jobsworth policy export policies/ --kubernetes-version 1.30 --strict
  jobsworth policy export policies/ --to chart-values > native-values.yaml
  jobsworth policy export policies/ --to mutating-admission-policy
  jobsworth policy export policies/ --name-suffix .static.k8s.io
""",
    options=ExportOptions,
    run=run,
)
