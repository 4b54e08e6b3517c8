"""Policies, manifests and cases as files, for tests of the commands that read them."""

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  backoffLimit: 9
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/train:1.4
"""

POLICY = """\
# What holds for everybody.
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata:
  name: house-rules
spec:
  message: See the handbook.
  defaults:
    ttlSecondsAfterFinished: {value: 3600}
    podFailurePolicy:
      rulesBefore:
        - action: Ignore
          onPodConditions: [{type: DisruptionTarget}]
  limits:
    backoffLimit: {maximum: 5}
    ttlSecondsAfterFinished: {required: true}
  rules: {no-deadline: warn}
"""

CASES = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicyTest
spec:
  cases:
    - name: nine retries are too many
      manifest: job.yaml
      expect:
        deny: [{code: JP002, field: spec.backoffLimit}]
    - name: a Job is deleted after an hour
      manifest: job.yaml
      expect:
        verdict: deny
        patch: {spec.ttlSecondsAfterFinished: 3600}
"""

FILES = {"job.yaml": JOB, "policies/house.yaml": POLICY}
