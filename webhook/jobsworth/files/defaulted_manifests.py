"""Manifests with the defaults of the API server, and with those of policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.subject import Requester
from jobsworth.files.policies.profiles import Profile
from jobsworth.manifests import Document
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
from jobsworth.policy.request import PolicyRequest
from jobsworth.provenance.field_ownership import PLAIN_CREATE, as_written
from jobsworth.validation.engine import engine_for


class Denied(Exception):
    """Admission policies reject an object.

    Attributes:
        messages: the reasons, in the words of the API server.
    """

    def __init__(self, messages: list[str]) -> None:
        super().__init__(messages[0])
        self.messages = messages


def defaulter(
    server: ApiServer,
    policies: tuple[str, ...],
    warn: Callable[[str], None],
    *,
    profile: Profile | None = None,
    requester: Requester | None = None,
    admission_policies: AdmissionPolicySet | None = None,
) -> Callable[[Document], dict[str, Any]]:
    """Return a function that applies the defaults of the API server and of policies to a document.

    The function raises :class:`Denied` if a MutatingAdmissionPolicy rejects the object.

    Args:
        server: the API server.
        policies: files and folders of policies, with which the object is as the webhook returns it.
        warn: reports a default of a policy that the API server rejects, or that the webhook does not
            set after a plain create, and an admission policy that is not applied.
        profile: the profile to apply as well.
        requester: the sender of the manifests; an unknown one in the namespace default if None.
        admission_policies: the MutatingAdmissionPolicies to apply before; None for none.

    Raises:
        UsageError: a policy is wrong.
    """
    if not policies and profile is None and admission_policies is None:
        engine = engine_for(server)
        return lambda document: engine.default(document.value)
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.evaluation.subject import Requester
    from jobsworth.files.policies.policy_files import load_policies
    from jobsworth.policy.policy_set import PolicySet

    loaded = load_policies(policies, profile) if policies or profile else PolicySet(())
    sender = requester or Requester()
    evaluator = Evaluator(server, policies=loaded)

    def admitted(document: Document) -> dict[str, Any]:
        request = evaluator.policy_request(sender.subject(document.value))
        if admission_policies is None:
            return webhook(document, request)
        mutated = admission_policies.mutate(request, server)
        found = webhook(document, replace(request, object=mutated.object))
        if mutated.again(found):
            found = webhook(document, replace(request, object=mutated.object))
        denials = [each.text for each in mutated.outcomes if each.effect == "deny"]
        if denials:
            raise Denied(denials)
        for outcome in mutated.outcomes:
            warn(f"{document.file}:{document.position('').line}:1: warning: {outcome.text}")
        if "namespace" in request.object["metadata"]:
            return found
        metadata = {key: part for key, part in found["metadata"].items() if key != "namespace"}
        return {**found, "metadata": metadata}

    def webhook(document: Document, request: PolicyRequest) -> dict[str, Any]:
        mutation = loaded.default(request, server)
        for rejected in mutation.rejected:
            place = document.position(rejected.field)
            where = f"{document.file}:{place.line}:{place.column}"
            warn(f"{where}: warning: {rejected}")
        assert request.manifest is not None  # the document itself
        as_created = as_written(request.manifest, PLAIN_CREATE)
        for kept in loaded.default(replace(request, manifest=as_created), server).kept:
            place = document.position(kept.field)
            warn(f"{document.file}:{place.line}:{place.column}: note: with kubectl create, {kept}")
        return mutation.object

    return admitted
