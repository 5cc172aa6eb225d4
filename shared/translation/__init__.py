"""Translation between the members of a group."""
