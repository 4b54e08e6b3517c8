"""``jobsworth policy check``: validate JobPolicy documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jobsworth.api.api_server import NEWEST_RELEASE, RELEASES, ApiServer, UnknownRelease
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, words
from jobsworth.manifests import Document
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

EXIT_SOUND, EXIT_BAD = 0, 1
SEVERITIES = {"deny": "error", "warn": "warning"}


class CheckOptions(Options):
    """The options of ``jobsworth policy check``."""

    kubernetes_version: tuple[str, ...] = words(
        "--kubernetes-version",
        metavar="RELEASE",
        help=f"Releases whose API servers should accept the expressions, {RELEASES[0]} to {RELEASES[-1]}; "
        "default: the newest.",
    )
    paths: tuple[str, ...] = arguments("paths")


def run(options: CheckOptions) -> int:
    """Validate policies, check that their defaults satisfy their limits, and return the exit code.

    Raises:
        UsageError: a release is unknown.
    """
    from jobsworth.files.policies.policy_files import BadPolicies, load_with_documents
    from jobsworth.policy.consistency import inconsistencies

    releases = _releases(options.kubernetes_version)
    try:
        policies, documents = load_with_documents(options.paths)
    except BadPolicies as error:
        for each in error.errors:
            print(each)
        return EXIT_BAD
    for policy in policies.policies:
        about = ": " + " ".join(policy.description.split()) if policy.description else ""
        print(printable(f"{policy.name} (priority {policy.priority}, {policy.enforcement}){about}"))
    code = EXIT_SOUND
    for found in inconsistencies(policies, ApiServer()):
        document = documents[found.policy]
        place = document.position(found.field)
        severity = SEVERITIES[found.effect]
        position = f"{document.file}:{place.line}:{place.column}"
        print(printable(f"{position}: {severity}: {found.field}: {found}"))
        if found.effect == "deny":
            code = EXIT_BAD
    _print_ways_around(policies.policies, documents)
    _print_kept(policies.policies, documents)
    _print_type_problems(policies.policies, documents)
    _print_unportable(policies.policies, documents, releases)
    return code


def _releases(given: Sequence[str]) -> list[str]:
    try:
        return [ApiServer(release).release for release in given or (NEWEST_RELEASE,)]
    except UnknownRelease as error:
        raise UsageError(str(error)) from None


def _print_ways_around(policies: Sequence[JobPolicy], documents: Mapping[str, Document]) -> None:
    """Print a warning for each expression and default by which a CronJob is a way around a policy."""
    from jobsworth.policy.consistency import pairs
    from jobsworth.policy.ways_around import ways_around

    server = ApiServer()
    samples = pairs(server)
    for policy in policies:
        for found in ways_around(policy, samples, server):
            _print_warning(documents[policy.name], found.field, str(found))


def _print_kept(policies: Sequence[JobPolicy], documents: Mapping[str, Document]) -> None:
    """Print a note for each default that the webhook does not set after a plain create."""
    from jobsworth.policy.consistency import kept_after_create

    for policy in policies:
        for field, reason in kept_after_create(policy, ApiServer()) if policy.defaults else ():
            text = f"with kubectl create, /mutate does not set this default: {reason}"
            _print_warning(documents[policy.name], field, text, "note")


def _print_warning(document: Document, field: str, text: str, severity: str = "warning") -> None:
    place = document.position(field)
    position = f"{document.file}:{place.line}:{place.column}"
    print(printable(f"{position}: {severity}: {field}: {text}"))


def _print_type_problems(policies: Sequence[JobPolicy], documents: Mapping[str, Document]) -> None:
    """Print a warning for each expression that reads a field that no Job has, or one as another type."""
    from jobsworth.policy.cel.job_types import type_problems

    for policy in policies:
        if policy.expressions is not None:
            for field, problem in type_problems(policy.expressions, "spec.expressions"):
                _print_warning(documents[policy.name], field, problem)


def _print_unportable(
    policies: Sequence[JobPolicy], documents: Mapping[str, Document], releases: Sequence[str]
) -> None:
    """Print a warning for each expression that a release would refuse in a ValidatingAdmissionPolicy."""
    from jobsworth.policy.cel.expressions import unportable

    for policy in policies:
        if policy.expressions is None:
            continue
        document = documents[policy.name]
        for found in unportable(policy.expressions, "spec.expressions", releases):
            _print_warning(document, found.field, str(found))


COMMAND = Command(
    "policy check",
    help="""Validate JobPolicy documents and report all errors at once.

PATH is a file or folder of JobPolicy documents, or a file of values of the Helm chart. Valid policies are
listed in order of precedence. Sample Jobs and CronJobs are then sent to each policy as a file, by kubectl
create, kubectl apply and server-side apply: with the defaults of the policy they must satisfy its limits and
rules, and those of policies that apply to every request. An expression that denies a Job and not the CronJob
that carries it is a warning, and so is one that reads a field that no Job has, or as another type. An
expression that an API server of a release would refuse in a ValidatingAdmissionPolicy is a warning. The exit
code is 1 if there are errors.""",
    epilog="""\b
Examples:
  jobsworth policy check policies/
  jobsworth policy check --kubernetes-version 1.30,1.37 policies/
""",
    options=CheckOptions,
    run=run,
)
