"""How well messages between members are translated: 120 sentences in six languages."""
