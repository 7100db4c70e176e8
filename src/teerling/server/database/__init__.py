"""What is kept, and how it is spoken to, copied and brought up to date."""
