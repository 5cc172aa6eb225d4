"""The texts of the bot that no model writes: one TOML file a language."""
