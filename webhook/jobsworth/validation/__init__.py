"""From the declarations: the strict decoder, the defaulter and the validator."""
