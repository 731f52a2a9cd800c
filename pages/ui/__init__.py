"""What the pages share: state, caching, sidebar, panels."""
