"""What all rooms stand on: errors, numbers as text, colours, the command line."""
