"""``jobsworth policy check``: whether policies can be used."""

from __future__ import annotations

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments

EXIT_SOUND, EXIT_BAD = 0, 1


class CheckOptions(Options):
    """The options of ``jobsworth policy check``."""

    paths = arguments()


def run(options: CheckOptions) -> int:
    """Read policies, say what is wrong with them, and return the exit code.

    Raises:
        UsageError: a package that policies need is missing.
    """
    from jobsworth.cli.inputs.policy_files import BadPolicies, load_policies

    try:
        policies = load_policies(options.paths)
    except BadPolicies as error:
        for complaint in error.complaints:
            print(complaint)
        return EXIT_BAD
    for policy in policies.policies:
        about = f": {policy.description}" if policy.description else ""
        print(f"{policy.name} (priority {policy.priority}, {policy.enforcement}){about}")
    return EXIT_SOUND


COMMAND = Command(
    "policy check",
    help="""See whether policies can be used, and say what is wrong with them, all at once.

PATH is a file or folder of JobPolicy documents. What is sound is listed in the order of precedence. The
exit code is 1 when something is wrong.""",
    epilog="""\b
Examples:
  jobsworth policy check policies/
""",
    options=CheckOptions,
    run=run,
)
