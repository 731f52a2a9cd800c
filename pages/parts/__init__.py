"""Pages in parts: for each page that holds several, a folder with a file for each tab or section."""
