"""``jobsworth default``: manifests with the API server's defaults filled in."""

from __future__ import annotations

import sys

from jobsworth.cli import server_options
from jobsworth.cli.command import Command, Option
from jobsworth.cli.file_evaluation import read_documents
from jobsworth.manifests import ManifestError
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.manifests import Document

EXIT_DONE, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2


def run(values: dict[str, Any]) -> int:
    """Print manifests with defaults, and return the exit code.

    With policies, an object is printed as the mutating webhook would leave it.

    A document that is not a Job or CronJob is left out; one that cannot be read or decoded is reported
    on standard error, and the others are printed all the same.

    Raises:
        UsageError: an option's value is wrong, or a policy.
    """
    fill_in = _filling(values)
    code, skipped, objects = EXIT_DONE, 0, []
    for document in read_documents(values["paths"]):
        error = document if isinstance(document, ManifestError) else document.error
        if error is not None or isinstance(document, ManifestError):
            print(f"error: {error}", file=sys.stderr)
            code = EXIT_UNREADABLE
            continue
        try:
            objects.append(fill_in(document))
        except UnknownKind:
            skipped += 1
        except CannotDecode as failure:
            code = max(code, EXIT_INVALID)
            for finding in failure.findings:
                place = document.position(finding.field)
                print(
                    f"{document.file}:{place.line}:{place.column}: error: "
                    f"{finding.field}: {finding.message}",
                    file=sys.stderr,
                )
    _print(objects, values["output"])
    if skipped:
        noun = "object" if skipped == 1 else "objects"
        print(f"{skipped} {noun} skipped: not a Job or CronJob", file=sys.stderr)
    return code


def _filling(values: dict[str, Any]) -> Callable[[Document], dict[str, Any]]:
    """What fills in the defaults of a document: the API server's, and those of policies."""
    chosen = server_options.server_of(values)
    if values["policy"] is None:
        engine = engine_for(chosen)
        return lambda document: engine.default(document.value)
    from jobsworth.cli.inputs.policy_files import load_policies, paths_of
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.evaluation.subject import Subject

    policies = load_policies(paths_of(values["policy"]))
    evaluator = Evaluator(chosen, policies=policies)

    def fill_in(document: Document) -> dict[str, Any]:
        request = evaluator.policy_request(Subject(document.value))
        mutation = policies.default(request, chosen)
        for left_out in mutation.left_out:
            place = document.position(left_out.field)
            print(
                f"{document.file}:{place.line}:{place.column}: warning: {left_out}", file=sys.stderr
            )
        return mutation.object

    return fill_in


def _print(objects: list[dict[str, Any]], output: str) -> None:
    if output == "json":
        import json

        listed = {"apiVersion": "v1", "kind": "List", "items": objects}
        print(json.dumps(listed, indent=2, ensure_ascii=False))
    elif objects:
        from jobsworth.manifests.editing.yaml_writer import to_yaml

        print(to_yaml(objects), end="")


COMMAND = Command(
    "default",
    help="""Print Jobs and CronJobs with the API server's defaults filled in, and those of policies.

PATH is a file, a folder, or - for standard input. What the server makes up (UID, the generated
selector and its labels, status) is left out, and so are documents that are not a Job or CronJob.""",
    epilog="""\b
Examples:
  jobsworth default job.yaml
  jobsworth default --output json manifests/
  jobsworth default --policy policies/ job.yaml     # as the mutating webhook would leave it
  diff <(jobsworth default --kubernetes-version 1.27 job.yaml) <(jobsworth default job.yaml)
""",
    options=(
        *server_options.OPTIONS,
        Option(
            "--policy",
            metavar="PATH",
            repeated=True,
            help="Fill in the defaults of these JobPolicy documents, too: a file or folder.",
        ),
        Option(
            "--output",
            short="-o",
            default="yaml",
            choices=("yaml", "json"),
            help="YAML documents, or a JSON List in the order of input.",
        ),
    ),
    run=run,
)
