"""The webhook: AdmissionReview in, AdmissionReview out; the Flask application; serving; metrics."""
