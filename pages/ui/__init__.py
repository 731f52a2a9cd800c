"""What the pages share: state, caching, frame, panels."""
