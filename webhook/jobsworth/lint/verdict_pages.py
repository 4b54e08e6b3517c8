"""Explanations of the codes that no lint rule has: errors of the API server, and what is not validated."""

from __future__ import annotations

EXPLANATIONS = {
    "JW001": """\
The API server rejects unknown fields when the request asks for strict validation, as kubectl does
by default (`--validate=strict`). Without it, the server drops the field without an error, so that a
misspelled `backofLimit` has no effect.

Rename the field, or move it to the place that the hint names. If the field is of a later release,
set `--kubernetes-version` to that of your cluster. The server stops at such errors; what it would
report next is marked in the report.""",
    "JW002": """\
The API server cannot decode the value, and rejects the request before it validates anything else.
Typical causes are quotes around a number, an unquoted `yes` or `1.10` where a string is expected, a
duration (`2h`) in a field of seconds, and a unit that quantities do not have (`1GB`).""",
    "JW003": """\
The field has no default, and the API server rejects the object without it. If you wrote it, look
for a wrong indentation: it may belong to another object.""",
    "JW004": """\
The message is that of the API server: it gives the rejected value and the condition. If the value
is a placeholder such as `${NAME}`, render the manifest first.""",
    "JW005": """\
The message lists the supported values. They are case-sensitive: `Never`, not `never`.""",
    "JW006": """\
The API server uses the value as a key, such as the name of a container or volume. Rename or remove
one of the two.""",
    "JW007": """\
The field may not be set here, or not together with another one that the message names. Many fields
cannot be changed after the object was created.""",
    "JW008": """\
Shorten the value to the number of characters or bytes that the message gives.""",
    "JW009": """\
Shorten the list to the number of items that the message gives.""",
    "JW010": """\
A field names something that the manifest does not contain, such as a volume of the Pod in
`volumeMounts`. The hint lists what it contains.""",
    "JW020": """\
The field belongs to a feature that is not enabled in the release. The API server stores the object
without it. Set `--feature-gates` if your cluster enables the feature.""",
    "JW021": """\
The object to compare with, from `--against` or `--git-ref`, cannot be decoded. Correct it first.""",
    "JW022": """\
Fix the reported errors and run the command again.""",
    "JW090": """\
Nothing in the document was validated. The message says what cannot be parsed, and how to write it.""",
    "JW091": """\
Render the template and validate the result: `helm template chart/ | jobsworth validate -`.""",
    "JW092": """\
With `--mixed`, such a document is skipped. Without it, it is an error.""",
    "JW093": """\
Move bulk data out of the object, into a ConfigMap, a volume or an image.""",
    "JW094": """\
A patch has only the fields that change, so that it is never a valid Job. Validate what kustomize
renders: `kubectl kustomize overlay/ | jobsworth validate -`.""",
    "JW095": """\
jobsworth validates objects of the kinds Job and CronJob. An object of another kind may contain the
template of a Job (JobSet), or a whole one as text (ConfigMap, OpenShift Template). Render it, or
write the Job as a manifest.""",
}
"""The meaning of each code, and what to do."""
