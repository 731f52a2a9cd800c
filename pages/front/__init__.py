"""The server's side of the front that is drawn in the browser: its routes, and the component in the frame."""
