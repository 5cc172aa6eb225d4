"""When to use each tool: a text for each toolset, part of the system instruction.  What each tool does, its own description says."""
