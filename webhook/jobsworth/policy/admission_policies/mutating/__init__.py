"""MutatingAdmissionPolicies: what an API server would make of an object (KEP-3962)."""
