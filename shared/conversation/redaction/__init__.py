"""What goes with a withdrawal, an edit or an erasure: its plan, the handover of sources, the sweep of the archive.  See `withdrawal.py`."""
