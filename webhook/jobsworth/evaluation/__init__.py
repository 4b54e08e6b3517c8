"""The evaluation pipeline: API verdict, fixes, lint rules, policies and ignores."""
