"""`line-simulator run -- COMMAND`: an unmodified bot, whose calls to LINE's hosts reach the simulator.

On Linux the bot runs in network and mount namespaces of its own, where LINE's names lead to a port 443 that the simulator serves, and
nothing else leaves. Elsewhere the same is done by what each runtime reads from its environment.
"""
