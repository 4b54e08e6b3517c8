"""``jobsworth policy check``: validate JobPolicy documents."""

from __future__ import annotations

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments
from jobsworth.printable import printable

EXIT_SOUND, EXIT_BAD = 0, 1


class CheckOptions(Options):
    """The options of ``jobsworth policy check``."""

    paths = arguments()


def run(options: CheckOptions) -> int:
    """Validate policies, report all errors, and return the exit code.

    Raises:
        UsageError: a required package is missing.
    """
    from jobsworth.cli.inputs.policy_files import BadPolicies, load_policies

    try:
        policies = load_policies(options.paths)
    except BadPolicies as error:
        for each in error.errors:
            print(each)
        return EXIT_BAD
    for policy in policies.policies:
        about = ": " + " ".join(policy.description.split()) if policy.description else ""
        print(printable(f"{policy.name} (priority {policy.priority}, {policy.enforcement}){about}"))
    return EXIT_SOUND


COMMAND = Command(
    "policy check",
    help="""Validate JobPolicy documents and report all errors at once.

PATH is a file or folder of JobPolicy documents. Valid policies are listed in order of precedence. The
exit code is 1 if there are errors.""",
    epilog="""\b
Examples:
  jobsworth policy check policies/
""",
    options=CheckOptions,
    run=run,
)
