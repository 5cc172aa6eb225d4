"""Who may talk to the bot: admissions of chats, invitation codes, and what a chat that was not admitted is told."""
