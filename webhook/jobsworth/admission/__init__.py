"""The admission protocol: AdmissionReview in, AdmissionReview out, as a Flask application."""
