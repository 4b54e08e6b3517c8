"""Manifests with known lint findings, for tests of what is done with findings."""

from __future__ import annotations

SOUND = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: sound
spec:
  activeDeadlineSeconds: 3600
  ttlSecondsAfterFinished: 86400
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/main:1.0
          resources: {requests: {cpu: 100m, memory: 64Mi}}
"""

SHADOWED = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: shadowed
spec:
  activeDeadlineSeconds: 3600
  ttlSecondsAfterFinished: 86400
  podReplacementPolicy: Failed
  podFailurePolicy:
    rules:
      - action: Ignore
        onPodConditions: [{type: DisruptionTarget}]
      - action: Count
        onExitCodes: {operator: In, values: [41, 42]}
      - action: FailJob
        onExitCodes: {operator: In, values: [42]}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/main:1.0
          resources: {requests: {cpu: 100m, memory: 64Mi}}
"""
"""JW101 rule-shadowed, in line 15, and nothing else."""

INVALID = SOUND.replace("name: sound", "name: invalid").replace(
    "spec:\n  active", "spec:\n  backoffLimitPerIndex: 1\n  active"
)
"""JW004, in line 6."""
