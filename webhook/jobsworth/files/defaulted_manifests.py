"""Manifests with the defaults of the API server, and with those of policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.files.policies.profiles import Profile
    from jobsworth.files.policies.requester import Requester
    from jobsworth.manifests import Document


def defaulter(
    server: ApiServer,
    policies: tuple[str, ...],
    warn: Callable[[str], None],
    *,
    profile: Profile | None = None,
    requester: Requester | None = None,
) -> Callable[[Document], dict[str, Any]]:
    """Return a function that applies the defaults of the API server and of policies to a document.

    Args:
        server: the API server.
        policies: files and folders of policies; with these the object is as the mutating webhook returns it.
        warn: reports a default of a policy that the API server rejects.
        profile: the profile to apply as well.
        requester: the sender of the manifests; an unknown one in the namespace default if None.

    Raises:
        UsageError: a policy is wrong.
    """
    if not policies and profile is None:
        engine = engine_for(server)
        return lambda document: engine.default(document.value)
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.files.policies.policy_files import load_policies
    from jobsworth.files.policies.requester import Requester

    loaded = load_policies(policies, profile)
    sender = requester or Requester()
    evaluator = Evaluator(server, policies=loaded)

    def mutated(document: Document) -> dict[str, Any]:
        request = evaluator.policy_request(sender.subject(document.value))
        mutation = loaded.default(request, server)
        for rejected in mutation.rejected:
            place = document.position(rejected.field)
            where = f"{document.file}:{place.line}:{place.column}"
            warn(f"{where}: warning: {rejected}")
        return mutation.object

    return mutated
