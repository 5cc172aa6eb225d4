"""Two tool servers that speak the Model Context Protocol, for `make run ARGS=--mcp`: one from npm, one made with the official SDK."""
