"""A real Kubernetes control plane for tests and benchmarks, of processes, without containers.

from cluster.bed import TestBed

with TestBed() as bed:
    print(bed.kubectl("version").stdout)
"""

from cluster.bed.audit_log import AuditLog, Call
from cluster.bed.connection import Answer, Connection
from cluster.bed.processes import Process, ProcessDied, free_ports
from cluster.bed.stages import EXIT_CODE, NODE, RUN_FOR
from cluster.bed.testbed import TestBed
from cluster.programs import MissingProgram

__all__ = [
    "EXIT_CODE",
    "NODE",
    "RUN_FOR",
    "Answer",
    "AuditLog",
    "Call",
    "Connection",
    "MissingProgram",
    "Process",
    "ProcessDied",
    "TestBed",
    "free_ports",
]
