"""What is demanded of a Job beyond what the API demands: by good sense, and by an organisation."""
