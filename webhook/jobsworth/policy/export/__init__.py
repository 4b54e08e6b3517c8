"""Export of JobPolicies to ValidatingAdmissionPolicies (KEP-3488), which the API server enforces itself."""
