"""Thinking: who decides, advises or asks first without being a person, and where it is worked out."""
