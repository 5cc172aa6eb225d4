"""The menu below 1:1 chats: its areas, its pictures, and its registration at LINE."""
