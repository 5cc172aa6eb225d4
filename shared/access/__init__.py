"""Access: admissions of chats, invitation codes, and the answers to a chat without admission."""
