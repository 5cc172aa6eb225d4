"""An example of a feature that stores something: what the members of a chat wish for.  `docs/features.md` goes through it."""
