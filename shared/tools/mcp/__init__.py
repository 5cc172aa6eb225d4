"""The tools of tool servers (Model Context Protocol): what operators connect, and chats may use."""
