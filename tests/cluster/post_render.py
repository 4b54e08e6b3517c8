"""Helm's post-renderer in place of a cluster's network: the webhook's Service leads to this machine.

``python post_render.py SERVICE`` reads manifests from standard input, and writes them with that Service of type
ExternalName for localhost; its port is the one that the API server then connects to.
"""

from __future__ import annotations

import sys

import yaml


def main(service: str) -> None:
    documents = [document for document in yaml.safe_load_all(sys.stdin) if document]
    for document in documents:
        if document["kind"] == "Service" and document["metadata"]["name"] == service:
            document["spec"] = {"type": "ExternalName", "externalName": "localhost"}
    yaml.safe_dump_all(documents, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
