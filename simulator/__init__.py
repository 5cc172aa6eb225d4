"""The local stack: stand-ins for LINE, Pub/Sub, Cloud Storage, Gemini and Notion around the real functions.

Nothing here imports the product; all communication goes over the network APIs.
"""
