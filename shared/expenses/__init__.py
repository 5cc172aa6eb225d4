"""What the members of a chat pay for each other: expenses, balances and settlements."""
