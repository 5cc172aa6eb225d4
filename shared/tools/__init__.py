"""The tools for the model, a module for each toolset."""
