"""Redaction: the removal of withdrawn words, and of words derived from them, from answers, recaps and archive."""
