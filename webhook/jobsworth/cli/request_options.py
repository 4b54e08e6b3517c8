"""Options for the request that policies match: who sends a manifest, and to which namespace."""

from __future__ import annotations

from jobsworth.cli.options import Options, option, words
from jobsworth.evaluation.subject import Requester
from jobsworth.usage_error import UsageError


class RequestOptions(Options):
    """Options for the request that policies match."""

    heading = "The request, for policies"

    namespace: str | None = option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="The namespace of manifests without one; by default: default.",
    )
    namespace_labels: str | None = option(
        "--namespace-labels", metavar="KEY=VALUE,...", help="Labels of the namespace, if known."
    )
    user: str | None = option(
        "--user", metavar="NAME", help="The user who sends the manifest, if known."
    )
    group: tuple[str, ...] = words(
        "--group", metavar="NAME", help="A group of the user; may be given several times."
    )


def requester_of(options: RequestOptions) -> Requester:
    """Return the sender of manifests.

    Raises:
        UsageError: the labels are not of the form KEY=VALUE.
    """
    from jobsworth.evaluation.subject import Requester

    return Requester(
        namespace=options.namespace or "",
        namespace_labels=_labels(options.namespace_labels),
        user=options.user,
        groups=options.group,
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
