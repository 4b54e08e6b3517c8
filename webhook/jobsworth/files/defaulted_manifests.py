"""Manifests with the defaults of the API server, and with those of policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.manifests import Document


def defaulter(
    server: ApiServer, policies: tuple[str, ...], warn: Callable[[str], None]
) -> Callable[[Document], dict[str, Any]]:
    """Return a function that applies the defaults of the API server and of policies to a document.

    Args:
        policies: files and folders of policies; with these the object is as the mutating webhook returns it.
        warn: reports a default of a policy that the API server rejects.

    Raises:
        UsageError: a policy is wrong.
    """
    if not policies:
        engine = engine_for(server)
        return lambda document: engine.default(document.value)
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.evaluation.subject import Subject
    from jobsworth.files.policies.policy_files import load_policies

    loaded = load_policies(policies)
    evaluator = Evaluator(server, policies=loaded)

    def mutated(document: Document) -> dict[str, Any]:
        request = evaluator.policy_request(Subject(document.value))
        mutation = loaded.default(request, server)
        for rejected in mutation.rejected:
            place = document.position(rejected.field)
            where = f"{document.file}:{place.line}:{place.column}"
            warn(f"{where}: warning: {rejected}")
        return mutation.object

    return mutated
