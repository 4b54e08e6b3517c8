"""Images, and when they are pulled."""

from __future__ import annotations

import pytest

from jobsworth.api.core.images import default_pull_policy
from support.validation.validated_containers import container_errors, stored_container

SHA256 = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    "image",
    [
        "busybox",
        "busybox:latest",
        "team/app",
        "docker.io/app",
        "index.docker.io/app:latest",
        "registry.example.com:5000/a/b_c/d__e/f--g.h",
        "localhost/app:latest",
        "localhost:5000/app",
        "UPPER.example.com/app",
        "Host/app",
        "[::1]:5000/app",
        "a_b.c/app",
        "a.b",
        "a:5000/app",
        "a-b:5000/app",
        f"app:latest@{SHA256}",
        "a" * 63,
        "/".join(["a"] * 124),
    ],
)
def test_an_image_whose_tag_is_latest_is_always_pulled(image: str) -> None:
    assert default_pull_policy(image) == "Always"


@pytest.mark.parametrize(
    "image",
    [
        "busybox:1.37",
        "busybox:LATEST",
        "busybox:latest-1",
        f"busybox@{SHA256}",
        f"busybox:1@{SHA256}",
        f"busybox@sha512:{'b' * 128}",
        "registry:5000/app:v1",
    ],
)
def test_an_image_with_another_tag_or_a_digest_is_pulled_once(image: str) -> None:
    assert default_pull_policy(image) == "IfNotPresent"


@pytest.mark.parametrize(
    "image",
    [
        "",
        " busybox",
        "busybox ",
        "BusyBox",
        "team/App:latest",
        "a" * 64,
        "a..b",
        "a___b",
        "a.-b",
        "-a",
        "a-",
        "a b",
        "café",
        "/app",
        "app/",
        "app:",
        "app:-1",
        "app:.1",
        "app:a/b",
        f"app:{'t' * 129}",
        "app@",
        f"@{SHA256}",
        "app@sha256:" + "a" * 63,
        "app@sha256:" + "A" * 64,
        "app@md5:" + "a" * 32,
        "host:port/app",
        "-host:5000/app",
        "host-:5000/app",
        "host:/app",
        "[]:80/app",
        "[::1/app",
        "[x]/app",
        "https://example.com/app",
        "/".join(["a"] * 140),
        "a_b.c/" + "a" * 250,
    ],
)
def test_an_unparsable_image_counts_as_one_with_another_tag(image: str) -> None:
    assert default_pull_policy(image) == "IfNotPresent"


def test_a_written_pull_policy_is_kept() -> None:
    assert (
        stored_container({"image": "busybox", "imagePullPolicy": "Never"})["imagePullPolicy"]
        == "Never"
    )
    assert stored_container({"image": "busybox"})["imagePullPolicy"] == "Always"


def test_pull_policies() -> None:
    assert container_errors({"imagePullPolicy": "Often"}) == {
        "imagePullPolicy": 'Unsupported value: "Often": supported values: '
        '"Always", "IfNotPresent", "Never"'
    }
