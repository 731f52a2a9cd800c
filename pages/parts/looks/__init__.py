"""What the page of who looks at whom says."""
