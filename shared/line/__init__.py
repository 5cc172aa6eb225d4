"""LINE's words: deliveries, events, messages, texts.  Plain values; no SDK."""
