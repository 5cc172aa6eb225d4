"""When to use which tool: a text for each toolset, part of the system instruction.  The tools' own descriptions say what they do."""
