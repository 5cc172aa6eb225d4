"""The local stack: stand-ins for LINE, Pub/Sub, Cloud Storage and Gemini around the three real functions.

Nothing here imports the product: it is met over the wires only.
"""
