"""Helpers that several test folders share.

| package | content |
| --- | --- |
| `admission` | AdmissionReviews, a webhook in this process, a running `jobsworth serve` and load on it |
| `api_server` | stored objects, and API servers in memory, with and without HTTP |
| `cel` | values of CEL expressions |
| `cli` | `jobsworth` run in this process |
| `controller` | single syncs, a simulated reconciler, and the API server's rules for a Job status |
| `lint` | lint findings and applied fixes, in a short form for tables of cases |
| `policy` | policies, and the requests that they are evaluated on |
| `random_objects` | random Jobs, CronJobs and edits, and their texts in YAML and JSON |
| `scaling` | objects with long lists, and a measure of how cost grows with their length |
| `validation` | the engine's findings, in a short form for tables of cases |

Tests import them as `support.…`: pytest's `pythonpath` setting names `tests`.
"""
