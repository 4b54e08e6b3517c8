"""Wait for the end of a Job: the procedure, and what carries it out."""
