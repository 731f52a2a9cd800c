"""The pages of the app; nothing but this file may stand here, or Streamlit takes it for a page."""
