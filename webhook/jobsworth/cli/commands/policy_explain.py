"""``jobsworth policy explain``: show the effect of each policy on a manifest, with reasons."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, group, option, texts
from jobsworth.cli.policy_options import ProfileOptions, RequestOptions, requester_of
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.policy_result import PolicyResult
from jobsworth.files.policies.profiles import profile_of
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

EXIT_DONE, EXIT_UNREADABLE = 0, 2


class ExplainOptions(Options):
    """The options of ``jobsworth policy explain``."""

    server = group(ServerOptions)
    profiles = group(ProfileOptions)
    request = group(RequestOptions)
    against: str | None = option(
        "--against",
        metavar="PATH",
        help="The existing objects that the manifests update, matched by kind, namespace and name.",
    )
    output: str = option(
        "--output",
        "-o",
        default="text",
        type=click.Choice(("text", "json")),
        help="Text, or one JSON list.",
    )
    policy: tuple[str, ...] = texts(
        "--policy",
        metavar="PATH",
        help="A file or folder of JobPolicy documents, instead of FILE; may be given several times.",
    )
    paths: tuple[str, ...] = arguments("paths", "FILE JOB...")


def run(options: ExplainOptions) -> int:
    """Explain the effect of each policy on each manifest, and return the exit code.

    Raises:
        UsageError: an option's value or a policy is invalid.
    """
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.files.policies.policy_files import load_policies
    from jobsworth.reports.policy_explanation import explanation_report, explanation_text

    profile = profile_of(options.profiles.profile, options.profiles.profile_enforcement)
    # A profile alone needs no file of policies.
    named = options.policy or (profile is not None and len(options.paths) == 1)
    files = 0 if named else 1
    if len(options.paths) <= files:
        raise UsageError(
            "missing the policies or a manifest: run jobsworth policy explain FILE JOB"
        )
    server = server_of(options.server)
    evaluator = Evaluator(
        server, policies=load_policies([*options.policy, *options.paths[:files]], profile)
    )
    results = _Results(options, evaluator, options.paths[files:])
    as_utf8(sys.stdout)
    if options.output == "json":
        from jobsworth.documents.declared import report_text

        print(report_text([explanation_report(result, server) for result in results]))
    else:
        for result in results:
            print("\n".join(map(printable, explanation_text(result, server))))
    return results.code


class _Results:
    """The results of manifests; documents that cannot be read are reported on standard error.

    Attributes:
        code: the exit code, after the iteration.
    """

    def __init__(
        self, options: ExplainOptions, evaluator: Evaluator, manifests: Sequence[str]
    ) -> None:
        self._against = options.against
        self._requester = requester_of(options.request)
        self._evaluator = evaluator
        self._manifests = manifests
        self.code = EXIT_DONE

    def __iter__(self) -> Iterator[PolicyResult]:
        from jobsworth.evaluation.policy_result import result_for_manifest
        from jobsworth.files.existing_objects import ExistingObjects
        from jobsworth.files.manifest_reading import read_documents, read_existing
        from jobsworth.manifests import ManifestError
        from jobsworth.validation.engine import CannotDecode, UnknownKind

        existing = ExistingObjects(read_existing(self._against)[0] if self._against else {})
        for document in read_documents(self._manifests):
            if isinstance(document, ManifestError):
                self._report(str(document))
                continue
            subject = self._requester.subject(document.value, existing.old(document))
            try:
                request = self._evaluator.policy_request(subject)
            except UnknownKind:
                continue
            except CannotDecode as failure:
                self._report(f"{document.file}: {failure}")
                continue
            assert self._evaluator.policies is not None
            yield result_for_manifest(self._evaluator.policies, request, self._evaluator.server)

    def _report(self, error: str) -> None:
        print(printable(f"error: {error}"), file=sys.stderr)
        self.code = EXIT_UNREADABLE


COMMAND = Command(
    "policy explain",
    help="""Show the effect of each policy on a manifest, with reasons.

The report has, for each policy, the match, the defaults that it sets, and the violations that it denies,
warns about or audits.

FILE is a file or folder of JobPolicy documents, JOB a file or folder of manifests, or - for standard
input. With --policy, FILE is left out; with --profile, before one JOB, too. Policies are listed in order of
precedence.""",
    epilog="""\b
Examples:
  jobsworth policy explain policies/ job.yaml
  jobsworth policy explain --profile strict job.yaml
  jobsworth policy explain policies/ job.yaml --user alice -n research
  jobsworth policy explain policies/ job.yaml --against deployed/
""",
    options=ExplainOptions,
    run=run,
)
