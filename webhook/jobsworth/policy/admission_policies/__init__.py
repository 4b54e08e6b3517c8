"""ValidatingAdmissionPolicies: what an API server would answer to a request (KEP-3488)."""
