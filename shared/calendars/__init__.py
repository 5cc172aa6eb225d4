"""Calendars: a chat's reminders and dated entries as a feed, which calendar programs read by a private address."""
