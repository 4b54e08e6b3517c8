"""``jobsworth policy check``: validate JobPolicy documents."""

from __future__ import annotations

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag
from jobsworth.printable import printable

EXIT_SOUND, EXIT_BAD = 0, 1
SEVERITIES = {"deny": "error", "warn": "warning"}


class CheckOptions(Options):
    """The options of ``jobsworth policy check``."""

    fix = flag(help="Rewrite the short forms of earlier drafts in place, and keep comments.")
    paths = arguments()


def run(options: CheckOptions) -> int:
    """Validate policies, check that their defaults satisfy their limits, and return the exit code.

    Raises:
        UsageError: a required package is missing, or standard input is to be fixed.
    """
    from jobsworth.api.api_server import ApiServer
    from jobsworth.files.fixing.policy_rewriting import rewrite_short_forms
    from jobsworth.files.policies.policy_files import BadPolicies, load_with_documents
    from jobsworth.policy.consistency import inconsistencies

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
    return code


COMMAND = Command(
    "policy check",
    help="""Validate JobPolicy documents and report all errors at once.

PATH is a file or folder of JobPolicy documents. Valid policies are listed in order of precedence. Sample Jobs
and CronJobs are then sent to each policy as a file, by kubectl create, kubectl apply and server-side apply:
with the defaults of the policy they must satisfy its limits and rules, and those of policies that apply to
every request. The exit code is 1 if there are errors.""",
    epilog="""\b
Examples:
  jobsworth policy check policies/
  jobsworth policy check --fix policies/    # defaults.backoffLimit: 3 becomes {value: 3}, and so on
""",
    options=CheckOptions,
    run=run,
)
