"""When to use each tool: a text for each toolset, part of the system instruction.  Descriptions of the tools stand with the tools."""
