"""``jobsworth default``: print manifests with the API server's defaults."""

from __future__ import annotations

import sys
from typing import Any

import click

from jobsworth.api.api_server import ApiServer
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, group, option, words
from jobsworth.cli.policy_options import ProfileOptions, RequestOptions, requester_of
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.cli.terminal import print_note
from jobsworth.files.defaulted_manifests import Denied, defaulter
from jobsworth.files.manifest_reading import read_documents
from jobsworth.files.policies.profiles import profile_of
from jobsworth.manifests import Document, ManifestError
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
from jobsworth.printable import printable, printable_json
from jobsworth.validation.engine import CannotDecode, UnknownKind
from jobsworth.wording import count

EXIT_DONE, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2


class DefaultOptions(Options):
    """The options of ``jobsworth default``."""

    server = group(ServerOptions)
    policy: tuple[str, ...] = words(
        "--policy",
        metavar="PATH",
        help="Also apply the defaults of these JobPolicy documents: a file or folder.",
    )
    profiles = group(ProfileOptions)
    admission_policy: tuple[str, ...] = words(
        "--admission-policy",
        metavar="PATH",
        help="Also apply these MutatingAdmissionPolicies of the cluster, with bindings and params: a file or "
        "folder.",
    )
    request = group(RequestOptions)
    output: str = option(
        "--output",
        "-o",
        default="yaml",
        type=click.Choice(("yaml", "json")),
        help="YAML documents, or one JSON List, in input order.",
    )
    paths: tuple[str, ...] = arguments("paths")


def run(options: DefaultOptions) -> int:
    """Print manifests with defaults, and return the exit code.

    With policies, print each object as the mutating webhook would return it; with admission policies, as it
    leaves admission.

    Documents that are not a Job or CronJob are omitted. Unreadable documents are reported on standard
    error; the others are still printed.

    Raises:
        UsageError: an option's value is wrong, or a policy.
    """
    server = server_of(options.server)
    defaulted = defaulter(
        server,
        options.policy,
        print_note,
        profile=profile_of(options.profiles.profile, options.profiles.profile_enforcement),
        requester=requester_of(options.request),
        admission_policies=_admission_policies(options.admission_policy, server),
    )
    code, skipped, objects = EXIT_DONE, 0, []
    for document in read_documents(options.paths):
        if isinstance(document, ManifestError):
            print(printable(f"error: {document}"), file=sys.stderr)
            code = EXIT_UNREADABLE
            continue
        try:
            objects.append(defaulted(document))
        except UnknownKind:
            skipped += 1
        except Denied as denied:
            code = max(code, EXIT_INVALID)
            for message in denied.messages:
                _report(document, "", message)
        except CannotDecode as failure:
            code = max(code, EXIT_INVALID)
            for finding in failure.findings:
                _report(document, finding.field, f"{finding.field}: {finding.message}")
    _print(objects, options.output)
    if skipped:
        print(f"{count(skipped, 'object')} skipped: not a Job or CronJob", file=sys.stderr)
    return code


def _admission_policies(paths: tuple[str, ...], server: ApiServer) -> AdmissionPolicySet | None:
    if not paths:
        return None
    from jobsworth.files.policies.admission_policy_files import load_admission_policies

    return load_admission_policies(paths, server.release)


def _report(document: Document, field: str, message: str) -> None:
    place = document.position(field)
    where = f"{document.file}:{place.line}:{place.column}"
    print(printable(f"{where}: error: {message}"), file=sys.stderr)


def _print(objects: list[dict[str, Any]], output: str) -> None:
    as_utf8(sys.stdout)
    if output == "json":
        import json

        listed = {"apiVersion": "v1", "kind": "List", "items": objects}
        print(printable_json(json.dumps(listed, indent=2, ensure_ascii=False)))
    elif objects:
        from jobsworth.manifests.editing.yaml_writer import to_yaml

        print(to_yaml(objects), end="")


COMMAND = Command(
    "default",
    help="""Print Jobs and CronJobs with the defaults of the API server and of policies.

PATH is a file, a folder, or - for standard input. Fields that the server generates (UID, selector,
its labels, status) are omitted, and so are documents that are not a Job or CronJob.""",
    epilog="""\b
Examples:
  jobsworth default job.yaml
  jobsworth default --output json manifests/
  jobsworth default --policy policies/ -n team-a job.yaml   # as the webhook
  jobsworth default --admission-policy cluster/ job.yaml
  jobsworth default --kubernetes-version 1.27 job.yaml | diff - job.yaml
""",
    options=DefaultOptions,
    run=run,
)
