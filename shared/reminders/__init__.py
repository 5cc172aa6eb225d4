"""The reminders of a chat: setting, changing, delivering, and removing them after a withdrawal."""
