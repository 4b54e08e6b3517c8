"""The labels that JobSet gives to its Jobs and their Pods.

Source: api/jobset/v1alpha2/jobset_types.go of JobSet 0.12.
"""

JOB_SET_NAME = "jobset.sigs.k8s.io/jobset-name"
"""The name of the JobSet."""
REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
"""The name of the ReplicatedJob."""
