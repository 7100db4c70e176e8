"""What the server tells those who look after it."""
