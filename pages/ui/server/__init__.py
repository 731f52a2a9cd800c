"""What one server does for all its sessions."""
