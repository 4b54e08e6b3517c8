"""Read the files that determine the registration of the webhook: a template and the policies."""

from __future__ import annotations

import logging
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobsworth.certificates.cluster_store import WebhookConfiguration
from jobsworth.certificates.registrar import LOG, RegistrationTemplate
from jobsworth.manifests import read_file
from jobsworth.policy.effective_policies import EffectivePolicies
from jobsworth.policy.export.native_enforcement import webhook_policies
from jobsworth.policy.policy_set import PolicySet
from jobsworth.registration.policy_scope import EVERYTHING, defaulted, denied
from jobsworth.serving.file_reload import Reloading
from jobsworth.usage_error import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from jobsworth.admission.decision import ApiVerdict
    from jobsworth.files.policies.profiles import Profile
    from jobsworth.registration.policy_scope import ScopePart

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
        policies: WatchedPolicies,
        api_verdict: ApiVerdict,
        known: Collection[WebhookConfiguration],
        exports: Mapping[str, str],
    ) -> None:
        self._exports = exports
        self._configurations = Reloading(
            "registration", lambda: _configurations(template, known), [template]
        )
        self._policies = policies
        self._api_verdict = api_verdict

    def templates(self) -> Mapping[str, RegistrationTemplate] | None:
        """Return the template of each configuration; None while the file is invalid."""
        self._configurations.check(_Log())
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
            return defaulted(policies.policies.policies)
        return denied(webhook_policies(policies, self._exports).policies.policies)


class WatchedPolicies:
    """The effective policies, read again when their files change.

    Args:
        paths: files and folders.
        profile: the profile to apply as well; None for none.
        stored: a folder with the last good versions; None for none.
    """

    def __init__(
        self, paths: tuple[Path, ...], profile: Profile | None, stored: Path | None = None
    ) -> None:
        if not paths and profile is None:
            self._files = Reloading("policy", lambda: EffectivePolicies(policies=PolicySet(())), ())
            return
        from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles

        files = EffectivePolicyFiles(paths, profile, stored)
        self._files = Reloading("policy", files.load, files.watched)

    def current(self) -> EffectivePolicies | None:
        """Return the policies, and log errors of changed files; None if they could never be read."""
        self._files.check(_Log())
        return self._files.value


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


class _Log:
    """Log the files that were rejected."""

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Log the errors of policies; the registration that follows is logged."""
        if isinstance(value, EffectivePolicies) and value.errors:
            errors = "\n".join(value.errors)
            LOG.error(
                f"rejected the {what} files, the last valid version of each broken policy counts:\n{errors}",
                extra={"broken": dict(value.broken)},
            )

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log the error; what was valid before stays active."""
        LOG.log(logging.ERROR, f"rejected the {what} files: {error}")


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
