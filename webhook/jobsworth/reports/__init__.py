"""Report formats: text, concise, JSON, SARIF, JUnit, GitHub annotations and tables."""
