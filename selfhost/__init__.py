"""The bot as a single process on a single machine, with a real LINE channel: the functions' handlers on SQLite.  `python -m selfhost`."""
