"""``jobsworth policy review``: print the AdmissionReview that an API server would send for a manifest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, group, option
from jobsworth.cli.policy_options import RequestOptions, requester_of
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.manifests import Document
from jobsworth.printable import printable, printable_json
from jobsworth.usage_error import InputError, UsageError

CREATE, UPDATE = "CREATE", "UPDATE"


class ReviewOptions(Options):
    """The options of ``jobsworth policy review``."""

    server = group(ServerOptions)
    request = group(RequestOptions)
    operation: str | None = option(
        "--operation",
        type=click.Choice((CREATE, UPDATE)),
        help="Default: CREATE; with --against, UPDATE.",
    )
    against: str | None = option(
        "--against", metavar="PATH", help="The manifest of the object that the manifest updates."
    )
    mutate: bool = flag(
        "--mutate",
        help="For /mutate, which is called before the API server generates the UID, selector and labels.",
    )
    paths: tuple[str, ...] = arguments("paths", "FILE")


def run(options: ReviewOptions) -> int:
    """Print the AdmissionReview of a manifest, and return the exit code.

    Raises:
        UsageError: the options contradict each other.
        InputError: the file has no Job or CronJob, or several, or one that the API server cannot decode.
    """
    from jobsworth.admission.manifest_review import ReviewInput, admission_review
    from jobsworth.validation.engine import CannotDecode

    if len(options.paths) != 1:
        raise UsageError("a review has one object: name one file, or - for standard input")
    if options.operation == UPDATE and options.against is None:
        raise UsageError("--operation UPDATE has an old object: add --against PATH")
    if options.operation == CREATE and options.against is not None:
        raise UsageError("--operation CREATE has no old object: leave --against out")
    if options.request.namespace_labels is not None:
        raise UsageError(
            "--namespace-labels: an AdmissionReview has no labels of the namespace; jobsworth policy explain "
            "evaluates them"
        )
    document = _only_object(options.paths[0])
    old = None if options.against is None else _old(options.against, document)
    sender = requester_of(options.request)
    sent = ReviewInput(
        value=document.value,
        old=old,
        namespace=sender.namespace,
        user=sender.user,
        groups=sender.groups,
        mutating=options.mutate,
    )
    try:
        review = admission_review(sent, server_of(options.server))
    except CannotDecode as failure:
        raise InputError(
            "the API server cannot decode the manifest, so it calls no webhook:",
            *(_placed(document, finding.field, finding.message) for finding in failure.findings),
        ) from None
    as_utf8(sys.stdout)
    print(printable_json(json.dumps(review, indent=2, ensure_ascii=False)))
    return 0


def _only_object(path: str) -> Document:
    """Return the only Job or CronJob in a file.

    Raises:
        InputError: there is none, or more than one, or the file cannot be read.
    """
    found = list(_objects(path))
    if not found:
        raise InputError(f"{path}: no Job or CronJob of batch/v1 in it")
    if len(found) > 1:
        names = ", ".join(printable(str(_name(each.value))) for each in found[:5])
        raise InputError(
            f"{path}: {len(found)} Jobs and CronJobs ({names}{', …' if len(found) > 5 else ''}), and a "
            "review has one: name a file with one"
        )
    return found[0]


def _objects(path: str) -> Iterator[Document]:
    from jobsworth.files.manifest_reading import read_documents
    from jobsworth.manifests import ManifestError
    from jobsworth.policy.request import KINDS

    kinds = [("batch/v1", kind) for kind in KINDS]
    for document in read_documents([path]):
        if isinstance(document, ManifestError):
            raise InputError(str(document))
        value: Any = document.value
        if isinstance(value, dict) and (value.get("apiVersion"), value.get("kind")) in kinds:
            yield document


def _old(path: str, document: Document) -> Any:
    """Return the manifest of the object that a manifest updates.

    Raises:
        InputError: it is not there, or the files cannot be read.
    """
    from jobsworth.files.existing_objects import identity

    for other in _objects(path):
        if identity(other.value) == identity(document.value):
            return other.value
    raise InputError(f"{path}: no object with the kind, namespace and name of the manifest")


def _name(value: Any) -> Any:
    metadata = value.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    return named.get("name") or named.get("generateName") or "(unnamed)"


def _placed(document: Document, field: str, message: str) -> str:
    place = document.position(field)
    return printable(f"{document.file}:{place.line}:{place.column}: error: {field}: {message}")


COMMAND = Command(
    "policy review",
    help="""Print the AdmissionReview that an API server would send to the webhook for a manifest.

FILE has one Job or CronJob; - is standard input. The object has the API server's defaults, and for /validate
also a UID, the generated selector and labels. A running `jobsworth serve` answers it, and other webhooks.""",
    epilog="""\b
Examples:
  jobsworth policy review job.yaml -n team-a > review.json
  jobsworth policy review job.yaml --user alice --group ml |
      curl --cacert certs/ca.crt -H 'Content-Type: application/json' \\
      --data-binary @- https://localhost:8443/validate
  jobsworth policy review job.yaml --against deployed/job.yaml
""",
    options=ReviewOptions,
    run=run,
)
