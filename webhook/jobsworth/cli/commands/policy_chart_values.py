"""``jobsworth policy chart-values``: print JobPolicy documents as values of the Helm chart."""

from __future__ import annotations

import sys
from typing import Any

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments
from jobsworth.cli.reporting import as_utf8


class ChartValuesOptions(Options):
    """The options of ``jobsworth policy chart-values``."""

    paths: tuple[str, ...] = arguments("paths")


def run(options: ChartValuesOptions) -> int:
    """Print the values of valid policies, and return the exit code.

    Raises:
        InputError: a policy is invalid, or a file cannot be read.
    """
    from jobsworth.files.policies.policy_files import load_with_documents
    from jobsworth.manifests.editing.yaml_writer import to_yaml

    _, documents = load_with_documents(options.paths)
    values: dict[str, Any] = {name: document.value for name, document in documents.items()}
    specs = {name: value["spec"] for name, value in values.items()}
    as_utf8(sys.stdout)
    print(to_yaml([{"policies": specs}]), end="")
    return 0


COMMAND = Command(
    "policy chart-values",
    help="""Print JobPolicy documents as values of the Helm chart, under `policies`.

PATH is a file or folder of JobPolicy documents. They are validated as by `jobsworth policy check`; if one is
invalid, nothing is printed. Comments stay in the files.""",
    epilog="""\b
Examples:
  jobsworth policy chart-values policies/ > policies-values.yaml
  helm upgrade jobsworth charts/jobsworth -f policies-values.yaml
""",
    options=ChartValuesOptions,
    run=run,
)
