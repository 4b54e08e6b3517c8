"""``jobsworth policy check``: validate JobPolicy documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.api_server import NEWEST_RELEASE, RELEASES, ApiServer, UnknownRelease
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, words
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobsworth.manifests import Document
    from jobsworth.policy.job_policy import JobPolicy

EXIT_SOUND, EXIT_BAD = 0, 1
SEVERITIES = {"deny": "error", "warn": "warning"}


class CheckOptions(Options):
    """The options of ``jobsworth policy check``."""

    fix = flag(help="Rewrite the short forms of earlier drafts in place, and keep comments.")
    kubernetes_version = words(
        metavar="RELEASE",
        help=f"Releases whose API servers should accept the expressions, {RELEASES[0]} to {RELEASES[-1]}; "
        "default: the newest.",
    )
    paths = arguments()


def run(options: CheckOptions) -> int:
    """Validate policies, check that their defaults satisfy their limits, and return the exit code.

    Raises:
        UsageError: a release is unknown, or standard input is to be fixed.
    """
    from jobsworth.files.fixing.policy_rewriting import rewrite_short_forms
    from jobsworth.files.policies.policy_files import BadPolicies, load_with_documents
    from jobsworth.policy.consistency import inconsistencies

    releases = _releases(options.kubernetes_version)
    if options.fix:
        for change in rewrite_short_forms(options.paths):
            print(change)
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
    _print_unportable(policies.policies, documents, releases)
    return code


def _releases(given: Sequence[str]) -> list[str]:
    try:
        return [ApiServer(release).release for release in given or (NEWEST_RELEASE,)]
    except UnknownRelease as error:
        raise UsageError(str(error)) from None


def _print_unportable(
    policies: Sequence[JobPolicy], documents: Mapping[str, Document], releases: Sequence[str]
) -> None:
    """Print a warning for each expression that a release would refuse in a ValidatingAdmissionPolicy."""
    from jobsworth.policy.cel.portability import unportable

    for policy in policies:
        if policy.expressions is None:
            continue
        document = documents[policy.name]
        for found in unportable(policy.expressions, "spec.expressions", releases):
            place = document.position(found.field)
            position = f"{document.file}:{place.line}:{place.column}"
            print(printable(f"{position}: warning: {found.field}: {found}"))


COMMAND = Command(
    "policy check",
    help="""Validate JobPolicy documents and report all errors at once.

PATH is a file or folder of JobPolicy documents. Valid policies are listed in order of precedence. Sample Jobs
and CronJobs are then sent to each policy as a file, by kubectl create, kubectl apply and server-side apply:
with the defaults of the policy they must satisfy its limits and rules, and those of policies that apply to
every request. An expression that an API server of a release would refuse in a ValidatingAdmissionPolicy is a
warning. The exit code is 1 if there are errors.""",
    epilog="""\b
Examples:
  jobsworth policy check policies/
  jobsworth policy check --fix policies/    # defaults.backoffLimit: 3 becomes {value: 3}, and so on
  jobsworth policy check --kubernetes-version 1.30,1.37 policies/
""",
    options=CheckOptions,
    run=run,
)
