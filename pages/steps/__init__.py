"""One thin script per page, in the order a reader takes them."""
