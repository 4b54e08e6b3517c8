"""The strict decoder, the defaulter and the validator, compiled from the declarations."""
