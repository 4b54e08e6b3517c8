"""``jobsworth policy check``: validate JobPolicy documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from jobsworth.api.api_server import NEWEST_RELEASE, RELEASES, ApiServer, UnknownRelease, minor
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, words
from jobsworth.cli.reporting import fail_on
from jobsworth.cli.terminal import print_note
from jobsworth.cli.validation_notes import exit_code_of
from jobsworth.files.policies.chart_values import PolicyInValues
from jobsworth.findings.finding import AT_LEAST, Threshold
from jobsworth.manifests import Document
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.policy_set import PolicySet
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError
from jobsworth.wording import count

Shown = Literal["error", "warning", "note"]

EXIT_SOUND, EXIT_BAD = 0, 1
SEVERITIES: Mapping[str, Shown] = {"deny": "error", "warn": "warning"}


class CheckOptions(Options):
    """The options of ``jobsworth policy check``."""

    kubernetes_version: tuple[str, ...] = words(
        "--kubernetes-version",
        metavar="RELEASE",
        help=f"Releases whose API servers should accept the expressions, {RELEASES[0]} to {RELEASES[-1]}; "
        "default: the newest.",
    )
    fail_on: Threshold | None = fail_on()
    paths: tuple[str, ...] = arguments("paths")


def run(options: CheckOptions) -> int:
    """Validate policies, check that their defaults satisfy their limits, and return the exit code.

    Raises:
        UsageError: a release is unknown.
    """
    from jobsworth.files.policies.policy_files import BadPolicies, by_name, load_with_documents
    from jobsworth.policy.reader import read

    releases = _releases(options.kubernetes_version)
    threshold = options.fail_on or "error"
    try:
        policies, documents = load_with_documents(options.paths)
    except BadPolicies as error:
        for each in error.errors:
            print(each)
        problems = _Problems(by_name(error.sound), ["error"] * len(error.errors))
        sound = read([document.value for document in error.sound]).policies
        _check_each(sound, problems)
        _check_portability(sound, problems, releases)
        return EXIT_BAD if error.unreadable else problems.exit_code(threshold)
    for policy in policies.policies:
        about = ": " + " ".join(policy.description.split()) if policy.description else ""
        print(printable(f"{policy.name} (priority {policy.priority}, {policy.enforcement}){about}"))
    problems = _Problems(documents)
    _check_defaults(policies, problems)
    _check_each(policies.policies, problems)
    _check_values(policies, problems)
    _check_portability(policies.policies, problems, releases)
    return problems.exit_code(threshold)


def _releases(given: Sequence[str]) -> list[str]:
    from kube_cel.environment import OLDEST_RELEASE

    try:
        releases = [ApiServer(release).release for release in given or (NEWEST_RELEASE,)]
    except UnknownRelease as error:
        raise UsageError(str(error)) from None
    for release in releases:
        if minor(release) < minor(OLDEST_RELEASE):
            print_note(
                f"Kubernetes {release} has no ValidatingAdmissionPolicy of admissionregistration.k8s.io/v1: "
                f"expressions are checked for {OLDEST_RELEASE}, the first release with it"
            )
    return releases


class _Problems:
    """Prints problems of valid policies, each with its place, and keeps what decides about the exit code.

    Args:
        documents: the documents of the policies, by name.
        severities: those of errors that are already printed.

    Attributes:
        documents: as given.
        fields: the fields with a problem, each with the name of its policy.
    """

    def __init__(self, documents: Mapping[str, Document], severities: Sequence[Shown] = ()) -> None:
        self.documents = documents
        self._severities = list(severities)
        self.fields: set[tuple[str, str]] = set()

    def add(self, policy: str, field: str, text: str, severity: Shown = "warning") -> None:
        """Print a problem of a field."""
        document = self.documents[policy]
        place = document.position(field)
        position = f"{document.file}:{place.line}:{place.column}"
        shown = document.path_of(field) if isinstance(document, PolicyInValues) else field
        print(printable(f"{position}: {severity}: {shown}: {text}"))
        self._severities.append(severity)
        self.fields.add((policy, field))

    def exit_code(self, threshold: Threshold) -> int:
        """Return the exit code; if no error explains it, print what does."""
        severities = ["info" if each == "note" else each for each in self._severities]
        failing = [each for each in severities if each in AT_LEAST[threshold]]
        if failing and "error" not in failing:
            print_note(exit_code_of(count(len(failing), "problem"), threshold))
        return EXIT_BAD if failing else EXIT_SOUND


def _check_defaults(policies: PolicySet, problems: _Problems) -> None:
    """Report limits that exclude each other, and each default with which a sample violates the policies."""
    from jobsworth.policy.consistency import exclusive_limits, inconsistencies

    for each in exclusive_limits(policies.policies):
        problems.add(each.policy, each.field, f"{each.message} ({each.hint})", "error")
    for found in inconsistencies(policies, ApiServer()):
        problems.add(found.policy, found.field, str(found), SEVERITIES[found.effect])


def _check_each(policies: Sequence[JobPolicy], problems: _Problems) -> None:
    """Report what is likely a mistake in a policy, whatever the other policies are."""
    from jobsworth.policy.reader import exempts_all

    _check_ways_around(policies, problems)
    _check_kept(policies, problems)
    _check_types(policies, problems)
    for policy in policies:
        parts = (policy.defaults, policy.limits, policy.immutable, policy.rules, policy.expressions)
        if all(part is None for part in parts):
            text = (
                "has no effect: it has no defaults, limits, immutable fields, rules or expressions"
            )
            problems.add(policy.name, "spec", text)
        if exempts_all(problems.documents[policy.name].value):
            text = "the policy never applies: each request that it matches is exempt"
            problems.add(policy.name, "spec.exempt", text)


def _check_ways_around(policies: Sequence[JobPolicy], problems: _Problems) -> None:
    """Warn of each way around a limit or an expression."""
    from jobsworth.policy.consistency import pairs
    from jobsworth.policy.ways_around import ways_around

    server = ApiServer()
    samples = pairs(server)
    for policy in policies:
        for found in ways_around(policy, samples, server):
            problems.add(policy.name, found.field, str(found))


def _check_kept(policies: Sequence[JobPolicy], problems: _Problems) -> None:
    """Note each default that the webhook does not set after a plain create."""
    from jobsworth.policy.consistency import kept_after_create

    for policy in policies:
        for field, reason in kept_after_create(policy, ApiServer()) if policy.defaults else ():
            text = f"with kubectl create, /mutate does not set this default: {reason}"
            problems.add(policy.name, field, text, "note")


def _check_types(policies: Sequence[JobPolicy], problems: _Problems) -> None:
    """Warn of each expression that reads a field that no Job has, or one as another type."""
    from jobsworth.policy.cel.job_types import type_problems

    for policy in policies:
        if policy.expressions is not None:
            for field, problem in type_problems(policy.expressions, "spec.expressions"):
                problems.add(policy.name, field, problem)


def _check_values(policies: PolicySet, problems: _Problems) -> None:
    """Report each expression that fails for the smallest objects, a warning only without another problem."""
    from jobsworth.policy.failing_expressions import failing_expressions

    for policy in policies.policies:
        for field, problem, effect in failing_expressions(policy, policies, ApiServer()):
            if effect == "deny":
                problems.add(policy.name, field, problem, "error")
            elif (policy.name, field) not in problems.fields:
                problems.add(policy.name, field, problem)


def _check_portability(
    policies: Sequence[JobPolicy], problems: _Problems, releases: Sequence[str]
) -> None:
    """Warn of each expression that a release would refuse in a ValidatingAdmissionPolicy."""
    from jobsworth.policy.cel.expressions import unportable

    for policy in policies:
        if policy.expressions is not None:
            for found in unportable(policy.expressions, "spec.expressions", releases):
                problems.add(policy.name, found.field, str(found))


COMMAND = Command(
    "policy check",
    help="""Validate JobPolicy documents and report all errors at once.

PATH is a file or folder of JobPolicy documents, or a file of values of the Helm chart. Valid policies are
listed in order of precedence. Sample Jobs and CronJobs are then sent to each policy as a file, by kubectl
create, kubectl apply and server-side apply: with the defaults of the policy they must satisfy its limits and
rules, and those of policies that apply to every request. An expression that denies a Job and not the CronJob
that carries it is a warning, and so is one that reads a field that no Job has, or as another type, or an
optional field that it does not test first. One that has no value even for the smallest Job is an error. An
expression that an API server of a release would refuse in a ValidatingAdmissionPolicy is a warning. The exit
code is 1 if there are problems of the severity --fail-on (a note counts as info), or if a file cannot be
read.""",
    epilog="""\b
Examples:
  jobsworth policy check policies/
  jobsworth policy check --fail-on warning policies/
  jobsworth policy check --kubernetes-version 1.30,1.37 policies/
""",
    options=CheckOptions,
    run=run,
)
