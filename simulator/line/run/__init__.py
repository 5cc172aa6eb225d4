"""`line-simulator run -- COMMAND`: an unmodified bot, with LINE's hosts replaced by the simulator.

On Linux the bot runs in separate network and mount namespaces: LINE's names lead to a port 443 served by the simulator, and nothing else
leaves. Elsewhere, environment variables for each runtime do the same.
"""
