"""What LINE sends and takes: deliveries, events, messages, texts.  Plain values; no SDK."""
