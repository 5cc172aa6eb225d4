"""One answer at a time in a chat: taking the turn, the reply, the lease, and the delivery of a committed outcome."""
