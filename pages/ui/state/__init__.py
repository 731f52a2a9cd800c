"""What one session looks at, the pages, and the way through them."""
