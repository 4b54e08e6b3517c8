"""Read the files that determine the registration of the webhook: a template and the policies."""

from __future__ import annotations

import logging
import time
import urllib.request
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from jobsworth.admission.decision import ApiVerdict
from jobsworth.certificates.cluster_store import WebhookConfiguration
from jobsworth.certificates.registrar import LOG, RegistrationTemplate
from jobsworth.manifests import read_file
from jobsworth.policy.effective_policies import EffectivePolicies
from jobsworth.policy.export.native_enforcement import webhook_policies
from jobsworth.registration import EVERYTHING, ScopePart, scope_of_defaults, scope_of_denials
from jobsworth.serving.file_reload import Reloading
from jobsworth.serving.policy_files import PolicyFiles
from jobsworth.usage_error import InputError

READY_SECONDS = 3.0
"""The time for which a replica must be ready before requests may depend on it: the kubelet and the Service
notice it a moment later."""
READY_TIMEOUT = 2.0
VALIDATING = "ValidatingWebhookConfiguration"
MUTATING = "MutatingWebhookConfiguration"


class RegistrationFiles:
    """The template of the webhook configurations, and the policies; read again when the files change.

    Args:
        template: a file with the webhook configurations, each with one webhook.
        policies: the policies.
        api_verdict: how the webhook handles an object that the API server would reject.
        known: the configurations that the template may have.
        exports: the hash of each policy that the API server enforces as exported, by name.
    """

    def __init__(
        self,
        template: Path,
        policies: LoggedPolicies,
        api_verdict: ApiVerdict,
        known: Collection[WebhookConfiguration],
        exports: Mapping[str, str],
    ) -> None:
        self._exports = exports
        self._configurations = Reloading(lambda: _configurations(template, known), [template])
        self._policies = policies
        self._api_verdict = api_verdict

    def templates(self) -> Mapping[str, RegistrationTemplate] | None:
        """Return the template of each configuration; None while the file is invalid."""
        load = self._configurations.check()
        if load is not None and load.error is not None:
            LOG.error(f"rejected the registration files: {load.error}")
        found = self._configurations.value
        if found is None:
            return None
        return {
            str(WebhookConfiguration(each["kind"], each["metadata"]["name"])): RegistrationTemplate(
                {part: each["metadata"].get(part) or {} for part in ("labels", "annotations")},
                each["webhooks"][0],
                self._scope(each["kind"]),
            )
            for each in found
        }

    def _scope(self, kind: str) -> tuple[ScopePart, ...] | None:
        policies = self._policies.current()
        if kind == VALIDATING and self._api_verdict == "deny":
            return EVERYTHING
        if policies is None:
            return None
        if kind != VALIDATING:
            return scope_of_defaults(policies.policies.policies)
        return scope_of_denials(webhook_policies(policies, self._exports).policies.policies)


class LoggedPolicies:
    """The effective policies, read again when their files change; what changes is logged.

    Args:
        files: the policies.
    """

    def __init__(self, files: PolicyFiles) -> None:
        self._files = files

    def current(self) -> EffectivePolicies | None:
        """Return the policies, and log what has changed; None if they could never be read."""
        load = self._files.check_until_settled()  # the next call may be minutes away
        if load is not None:
            broken = {} if load.policies is None else dict(load.policies.broken)
            for level, message in load.messages():
                number = logging.getLevelNamesMapping()[level.upper()]
                LOG.log(number, message, extra={"broken": broken} if broken else None)
        return self._files.active


def _configurations(
    template: Path, known: Collection[WebhookConfiguration]
) -> list[dict[str, Any]]:
    """Return the webhook configurations in a file.

    Raises:
        InputError: it is unreadable, or has other documents or configurations.
    """
    found = []
    for document in read_file(str(template)):
        if document.error is not None:
            raise InputError(str(document.error))
        value: Any = document.value
        try:
            if value["kind"] not in (MUTATING, VALIDATING):
                raise InputError(f"{template}: {value['kind']} is not a webhook configuration")
            (webhook,) = value["webhooks"]
            named = WebhookConfiguration(value["kind"], value["metadata"]["name"])
            dict(webhook["clientConfig"]), webhook["name"], webhook["failurePolicy"]
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"{template}: each document must be a webhook configuration with one webhook"
            ) from None
        if named not in known:
            option = value["kind"].removesuffix("WebhookConfiguration").lower()
            raise InputError(
                f"{template}: {named} is not one to manage: name it in --{option}-webhook-configuration"
            )
        found.append(value)
    return found


class Readiness:
    """A check that a replica has been ready for :data:`READY_SECONDS`.

    Args:
        url: the readiness endpoint; empty for a replica that is always ready.
        clock: returns the seconds of a monotonic clock.
    """

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._since: float | None = None

    def __call__(self) -> bool:
        """Return True if the replica is ready, and was so long enough."""
        if not self._url:
            return True
        try:
            with urllib.request.urlopen(self._url, timeout=READY_TIMEOUT):
                pass
        except (OSError, ValueError):
            self._since = None
            return False
        if self._since is None:
            self._since = self._clock()
        return self._clock() - self._since >= READY_SECONDS
