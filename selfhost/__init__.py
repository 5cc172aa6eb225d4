"""The bot as one process on one machine, with a real LINE channel: the functions' handlers on SQLite.  `python -m selfhost`."""
