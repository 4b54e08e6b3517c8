"""``jobsworth policy explain``: show the effect of each policy on a manifest, with reasons."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.api.formats.names import readable_name
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, nested, text, words
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.evaluation.policy_result import PolicyResult
    from jobsworth.evaluation.subject import Subject

EXIT_DONE, EXIT_UNREADABLE = 0, 2


class ExplainOptions(Options):
    """The options of ``jobsworth policy explain``."""

    server = nested(ServerOptions)
    namespace = text(
        short="-n",
        metavar="NAME",
        help="The namespace of manifests without one; by default: default.",
    )
    namespace_labels = text(metavar="KEY=VALUE,...", help="Labels of the namespace, if known.")
    user = text(metavar="NAME", help="The user who sends the manifest, if known.")
    group = words(metavar="NAME", help="A group of the user; may be given several times.")
    against = text(
        metavar="PATH",
        help="The existing objects that the manifests update, matched by kind, namespace and name.",
    )
    paths = arguments("FILE JOB...")


def run(options: ExplainOptions) -> int:
    """Explain the effect of each policy on each manifest, and return the exit code.

    Raises:
        UsageError: an option's value or a policy is invalid.
    """
    if len(options.paths) < 2:
        raise UsageError(
            "missing the policies or a manifest: run jobsworth policy explain FILE JOB"
        )
    explanation = ExplanationInput(
        policies=options.paths[0],
        manifests=options.paths[1:],
        against=options.against,
        server=server_of(options.server),
        namespace=options.namespace or "",
        user=options.user,
        groups=options.group,
        namespace_labels=_labels(options.namespace_labels),
    )
    return explain(explanation)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationInput:
    """The input of an explanation.

    Attributes:
        policies: a file or folder.
        manifests: files, folders, ``-``.
        against: a file or folder of the existing objects that the manifests update.
        server: the API server that receives the manifests.
        namespace: of manifests without one.
        user, groups: the identity that sends the manifests.
        namespace_labels: of their namespace, if known.
    """

    policies: str
    manifests: Sequence[str]
    against: str | None
    server: ApiServer
    namespace: str
    user: str | None
    groups: tuple[str, ...]
    namespace_labels: Mapping[str, str] | None


def explain(explanation: ExplanationInput) -> int:
    """Print the effects of policies on manifests, and return the exit code.

    Raises:
        UsageError: a policy is wrong.
    """
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.files.existing_objects import ExistingObjects
    from jobsworth.files.manifest_reading import read_documents, read_existing
    from jobsworth.files.policies.policy_files import load_policies
    from jobsworth.manifests import ManifestError
    from jobsworth.validation.engine import CannotDecode, UnknownKind

    policies, code = load_policies([explanation.policies]), EXIT_DONE
    evaluator = Evaluator(explanation.server, policies=policies)
    existing = ExistingObjects(read_existing(explanation.against)[0] if explanation.against else {})
    for document in read_documents(explanation.manifests):
        if isinstance(document, ManifestError):
            print(printable(f"error: {document}"), file=sys.stderr)
            code = EXIT_UNREADABLE
            continue
        try:
            subject = _subject(document.value, existing.old(document), explanation)
            request = evaluator.policy_request(subject)
        except UnknownKind:
            continue
        except CannotDecode as failure:
            print(printable(f"error: {document.file}: {failure}"), file=sys.stderr)
            code = EXIT_UNREADABLE
            continue
        print("\n".join(map(printable, _report(evaluator.apply(request), explanation.server))))
    return code


def _subject(value: Any, old: Any, explanation: ExplanationInput) -> Subject:
    from jobsworth.evaluation.subject import Subject

    return Subject(
        value,
        old=old,
        namespace=explanation.namespace,
        user=explanation.user,
        groups=explanation.groups,
        namespace_labels=explanation.namespace_labels,
    )


def _labels(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    labels = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f'--namespace-labels: "{part}" is not of the form KEY=VALUE')
        labels[key] = value
    return labels


def _report(result: PolicyResult, server: ApiServer) -> Iterator[str]:
    request = result.request
    user = f" by {request.user}" if request.user else ""
    name = request.name or readable_name(request.object.get("metadata")) or "(unnamed)"
    yield (
        f"{request.kind} {name} in namespace {request.namespace}: {request.operation}{user}, "
        f"Kubernetes {server.release}"
    )
    for policy, decision in result.decisions:
        matches = "matches" if decision.applies else "does not match"
        yield ""
        yield f"{policy.name} (priority {policy.priority}, {policy.enforcement}) {matches}"
        yield f"  because     {decision.because}"
        yield from _effects_of(policy.name, result)
    assert result.mutation is not None
    for field in result.mutation.restored:
        yield f"\nkeeps {field} as stored: the client writes the same as at creation"
    findings = result.verdict.findings
    counts = dict.fromkeys(("deny", "warn", "audit"), 0)
    for enforced in findings:
        counts[enforced.effect] += 1
    outcome = "denied" if result.verdict.denied else "allowed"
    counted = ", ".join(f"{count} {effect}" for effect, count in counts.items() if count)
    yield from ("", f"{outcome}{f': {counted}' if counted else ''}", "")


def _effects_of(name: str, result: PolicyResult) -> Iterator[str]:
    mutation = result.mutation
    assert mutation is not None
    for applied in mutation.applied:
        if name in applied.policy.split(", "):
            before, after = _shown(applied.before), _shown(applied.after)
            yield f"  sets        {applied.field}: {before} becomes {after}"
    for policy, field, reason in mutation.skipped:
        if policy == name:
            yield f"  skips       {field}: {reason}"
    for rejected in mutation.rejected:
        if name in rejected.policy.split(", "):
            yield f"  cannot set  {rejected.field}: {rejected.reason}"
    for enforced in result.verdict.findings:
        if enforced.policy == name:
            yield f"  {enforced.effect:<11} {enforced}"


def _shown(value: Any) -> str:
    import json

    return "unset" if value is None else json.dumps(value, ensure_ascii=False)


COMMAND = Command(
    "policy explain",
    help="""Show the effect of each policy on a manifest, with reasons.

The report has, for each policy, the match, the defaults that it sets, and the violations that it denies,
warns about or audits.

FILE is a file or folder of JobPolicy documents, JOB a file or folder of manifests, or - for standard
input. Policies are listed in order of precedence.""",
    epilog="""\b
Examples:
  jobsworth policy explain policies/ job.yaml
  jobsworth policy explain policies/ job.yaml --user alice --group ml --namespace research
  jobsworth policy explain policies/ job.yaml --against deployed/    # as an update
""",
    options=ExplainOptions,
    run=run,
)
