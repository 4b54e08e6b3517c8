"""`jobsworth audit` on a real API server: what it stores, pages, tokens that expire, rights, certificates."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from support.api_server.stored_objects import cron_manifest, manifest

if TYPE_CHECKING:
    from cluster.bed import TestBed

ROOT = Path(__file__).parent.parent.parent
MANY = 1203


@pytest.fixture(scope="module")
def populated() -> Iterator[TestBed]:
    """An API server with the valid examples, each in a namespace of its own."""
    with bed_or_skip(api_server_flags=("--allow-privileged=true",)) as bed:
        for file in sorted((ROOT / "examples/valid").glob("*.yaml")):
            namespace = bed.namespace("example")
            for document in yaml.safe_load_all(file.read_text(encoding="utf-8")):
                if document["kind"] in ("Job", "CronJob"):
                    document["metadata"].pop("namespace", None)
                    bed.create(document, namespace)
        yield bed


def audit(
    bed: TestBed, *arguments: str, kubeconfig: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jobsworth", "audit", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "KUBECONFIG": str(kubeconfig or bed.kubeconfig),
            "PYTHONPATH": str(ROOT / "webhook"),
        },
    )


def results(bed: TestBed, *arguments: str) -> list[dict[str, Any]]:
    done = audit(bed, "-o", "json", *arguments)
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["results"]
    return found


def test_fields_that_a_real_server_adds_are_not_reported(populated: TestBed) -> None:
    found = results(populated, "-A")
    assert len(found) >= 15
    codes = {finding["code"] for result in found for finding in result["findings"]}
    assert not {code for code in codes if code.startswith("JW0")}
    assert "JW216" not in codes  # that a manifest was exported


def test_a_stored_object_is_validated_as_its_manifest_is(populated: TestBed) -> None:
    """Check that every finding about a stored object is one about its manifest; the reverse holds except for what a
    stored object does not show: whether a user wrote a default."""
    validate = [
        sys.executable,
        "-m",
        "jobsworth",
        "validate",
        "--kubernetes-version",
        populated.release,
    ]
    done = subprocess.run(
        [*validate, "--allow-privileged", "-o", "json", str(ROOT / "examples/valid")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
    )
    written = {
        (result["kind"], result["name"]): {
            (each["code"], each["field"]) for each in result["findings"]
        }
        for result in json.loads(done.stdout)["results"]
        if result["status"] != "skipped" and result["name"]
    }
    compared = 0
    for result in results(populated, "-A", "--isolated"):
        expected = written.get((result["kind"], result["name"]))
        if expected is not None:
            found = {(each["code"], each["field"]) for each in result["findings"]}
            assert found <= expected
            assert {code for code, _ in expected - found} <= {"JW123", "JW210", "JW220", "JW415"}
            compared += 1
    assert compared >= 15


def test_an_object_from_before_a_gate_was_turned_off(populated: TestBed) -> None:
    namespace = populated.namespace()
    populated.create(manifest(managedBy="example.com/queue"), namespace)
    reported = results(
        populated,
        "-n",
        namespace,
        "--feature-gates",
        "JobManagedBy=false",
        "--kubernetes-version",
        "1.33",
    )
    assert [each["code"] for each in reported[0]["findings"]] == ["JW020"]
    assert results(populated, "-n", namespace)[0]["status"] == "valid"


def test_a_cron_job_stands_for_its_jobs(populated: TestBed) -> None:
    namespace = populated.namespace()
    populated.create(cron_manifest("nightly"), namespace)
    for name in ("first", "second"):
        populated.kubectl("create", "job", name, "--from=cronjob/nightly", "-n", namespace)
    assert [result["kind"] for result in results(populated, "-n", namespace)] == ["CronJob"]
    kinds = [result["kind"] for result in results(populated, "-n", namespace, "--include-owned")]
    assert kinds == ["CronJob", "Job", "Job"]


def test_finished_jobs_are_left_out(populated: TestBed) -> None:
    namespace = populated.namespace()
    job = populated.create(manifest(), namespace)
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs/{job['metadata']['name']}/status"
    time = "2025-11-03T08:00:00Z"
    job["status"] = {
        "startTime": time,
        "completionTime": time,
        "succeeded": 1,
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": time}
            for kind in ("SuccessCriteriaMet", "Complete")
        ],
    }
    answer = populated.request("PUT", path, job)
    assert answer.code == 200, answer.body
    assert results(populated, "-n", namespace) == []
    assert len(results(populated, "-n", namespace, "--include-finished")) == 1


def test_a_large_namespace_is_read_in_pages(bed: TestBed, namespace: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(lambda index: bed.create(manifest(f"job-{index}"), namespace), range(MANY))
        assert len(list(made)) == MANY
    with bed.calls() as calls:
        done = audit(bed, "-n", namespace)
    assert f"{MANY} objects in 1 namespace; {MANY} valid, 0 invalid" in done.stderr
    assert calls.count(user_agent="jobsworth")["list", "jobs"] == 3


@pytest.fixture(scope="module")
def compacted() -> Iterator[tuple[TestBed, str, int]]:
    """A bed of its own, a namespace with forty Jobs, and a revision that etcd no longer has."""
    with bed_or_skip() as bed:
        namespace = bed.namespace()
        for index in range(40):
            job = bed.create(manifest(f"job-{index:02}"), namespace)
        revision = int(job["metadata"]["resourceVersion"])
        bed.create(manifest("job-40"), namespace)
        compact(bed, revision)
        assert bed.api_server is not None
        bed.api_server.kill()  # it keeps a few revisions itself
        bed.start_api_server()
        yield bed, namespace, revision - 20


def compact(bed: TestBed, revision: int) -> None:
    """Have etcd forget what was before a revision, as it does every five minutes."""
    body = json.dumps({"revision": str(revision), "physical": True}).encode()
    with urlopen(
        Request(f"http://127.0.0.1:{bed._ports[1]}/v3/kv/compaction", body), timeout=10
    ) as answer:
        assert answer.status == 200


def test_a_list_whose_revision_is_gone_is_read_to_its_end(
    compacted: tuple[TestBed, str, int],
) -> None:
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.client.rest_config import Target, rest_config
    from jobsworth.client.transport import Client

    bed, namespace, gone = compacted
    rejected = []
    with rest_config(Target(str(bed.kubeconfig))) as config:
        api = Client(config, user_agent="test")
        ask = api.get

        def get(path: str, query: Any = None) -> Any:
            # The second page is requested so late that its revision is gone.
            if "continue" in query and not rejected:
                query = {**query, "continue": aged(query["continue"], gone)}
                rejected.append(query["continue"])
            return ask(path, query)

        api.get = get  # type: ignore[method-assign]
        pages = list(StoredObjects(api, page_size=10).batch_objects("Job", namespace))
    names = [each["metadata"]["name"] for page in pages for each in page.items]
    assert rejected
    assert names == [f"job-{index:02}" for index in range(41)]


def aged(token: str, revision: int) -> str:
    """Return a continue token with the revision of a list that began long ago."""
    inside = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    text = json.dumps({**inside, "rv": revision}, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def test_missing_rights_are_reported_by_name(bed: TestBed, namespace: str) -> None:
    nobody = bed.user("nobody-in-particular")
    done = audit(bed, "-A", kubeconfig=nobody)
    assert (done.returncode, done.stdout) == (2, "")
    assert 'User "nobody-in-particular" cannot list resource "cronjobs"' in done.stderr
    assert "grant the verb list on jobs and cronjobs" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_rights_to_one_namespace_are_enough_for_it(bed: TestBed, namespace: str) -> None:
    bed.create(manifest(), namespace)
    reader = bed.user("reader")
    bed.kubectl(
        "create", "role", "audit", "--verb=list", "--resource=jobs,cronjobs", "-n", namespace
    )
    bed.kubectl("create", "rolebinding", "audit", "--role=audit", "--user=reader", "-n", namespace)
    done = audit(bed, "-n", namespace, kubeconfig=reader)
    assert done.returncode == 0, done.stderr
    assert "1 object in 1 namespace" in done.stderr
    assert audit(bed, "-A", kubeconfig=reader).returncode == 2


def test_a_service_account_may_audit(bed: TestBed, namespace: str) -> None:
    bed.kubectl("create", "serviceaccount", "auditor", "-n", namespace)
    bed.kubectl(
        "create",
        "clusterrole",
        f"audit-{namespace}",
        "--verb=get,list",
        "--resource=jobs,cronjobs,namespaces",
    )
    bed.kubectl(
        "create", "clusterrolebinding", f"audit-{namespace}", f"--clusterrole=audit-{namespace}",
        f"--serviceaccount={namespace}:auditor",
    )  # fmt: skip
    done = audit(bed, "-A", kubeconfig=bed.service_account(namespace, "auditor"))
    assert done.returncode in (0, 1), done.stderr


def changed(bed: TestBed, **cluster: Any) -> Path:
    """The administrator's kubeconfig with another cluster entry."""
    loaded = yaml.safe_load(Path(bed.kubeconfig).read_text(encoding="utf-8"))
    loaded["clusters"][0]["cluster"] |= cluster
    with tempfile.NamedTemporaryFile(
        "w", suffix=".kubeconfig", delete=False, dir=bed.folder.root
    ) as file:
        yaml.safe_dump(loaded, file)
    return Path(file.name)


def test_a_certificate_of_another_ca_is_not_trusted(bed: TestBed) -> None:
    from cluster.bed.certificate_authority import CertificateAuthority

    other = base64.b64encode(CertificateAuthority().certificate).decode()
    done = audit(
        bed,
        "-A",
        kubeconfig=changed(
            bed, **{"certificate-authority-data": other, "certificate-authority": None}
        ),
    )
    assert done.returncode == 2
    assert f"the certificate of {bed.url} is not trusted" in done.stderr
    assert 'set certificate-authority of context "admin" to the CA that signed it' in done.stderr


def test_a_wrong_token_is_rejected(bed: TestBed) -> None:
    file = changed(bed)
    loaded = yaml.safe_load(file.read_text(encoding="utf-8"))
    loaded["users"][0]["user"] = {"token": "expired"}
    file.write_text(yaml.safe_dump(loaded), encoding="utf-8")
    done = audit(bed, "-A", kubeconfig=file)
    assert done.returncode == 2
    assert "rejects the credentials" in done.stderr


def test_an_older_cluster_is_validated_as_its_own_release(older_bed: TestBed) -> None:
    namespace = older_bed.namespace()
    older_bed.create(manifest(), namespace)
    done = audit(older_bed, "-n", namespace)
    assert done.returncode == 0
    assert f"as Kubernetes {older_bed.release}: 1 object" in done.stderr
    upgrade = audit(older_bed, "-n", namespace, "--kubernetes-version", "1.36")
    assert f"as Kubernetes 1.36 (the cluster runs {older_bed.release})" in upgrade.stderr
