"""Results as text for people, as lines for tools, and as JSON."""
