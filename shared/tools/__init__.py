"""The tools that the model may call, one module a toolset."""
