"""The fix of the name of a Job or CronJob: its words in lower case, joined by hyphens."""

from __future__ import annotations

import re

from jobsworth.evaluation.fixes.rejected_object import RejectedObject
from jobsworth.findings.fix import Edit, Fix
from kube_cel.formats.names import DNS_LABEL_MAX_LENGTH, dns_label

NAME, GENERATE_NAME = "metadata.name", "metadata.generateName"

_WORDS = re.compile(r"[A-Za-z0-9 _.,:;/()\[\]+#&@'\"!~=|-]+")
"""Letters, digits and what can stand between words. Other characters belong to placeholders, or to words that
would be another word without them."""
_BETWEEN = re.compile(r"-*[^a-z0-9-][^a-z0-9]*")

_LONGEST_OF_CRON_JOBS = 52
"""The Jobs of a CronJob get its name with eleven characters more."""


def fixed_name(rejected: RejectedObject) -> Fix | None:
    """Return the fix that sets a valid name of the same words; None if there is none.

    It is unsafe: other objects and scripts may refer to a name.
    """
    field = rejected.finding.field
    name = rejected.at(field)
    if field not in (NAME, GENERATE_NAME) or not isinstance(name, str):
        return None
    if not _WORDS.fullmatch(name):
        return None
    wanted = _BETWEEN.sub("-", name.lower()).strip("-")
    if not wanted or dns_label(_longest_child(rejected, wanted)):
        return None
    if field == GENERATE_NAME:
        wanted += "-"
    if wanted == name:
        return None
    part = field.removeprefix("metadata.")
    return Fix(f"Set {part}: {wanted}", Edit("set", field, wanted), safe=False)


def _longest_child(rejected: RejectedObject, name: str) -> str:
    """Return the longest name that Kubernetes makes of the name of an object."""
    if rejected.value["kind"] == "CronJob":
        return name + "-" + "0" * (DNS_LABEL_MAX_LENGTH - _LONGEST_OF_CRON_JOBS - 1)
    spec = rejected.within("spec")
    completions = spec.get("completions")
    if spec.get("completionMode") == "Indexed" and type(completions) is int and completions > 0:
        return f"{name}-{completions - 1}"
    return name
