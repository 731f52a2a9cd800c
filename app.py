# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "torch==2.13.0",
#   "streamlit==1.67.0",
#   "pydantic==2.14.4",
#   "plotly==7.1.0",
#   "matplotlib==3.11.2",
#   "pandas==3.1.1",
#   "numpy==2.4.6",
#   "cachetools==8.0.0",
#   "psutil==7.2.2",
#   "tokenizers==0.23.3",
#   "transformers==5.23.0",
#   "sentencepiece==0.2.3",
#   'uvloop==0.23.0; sys_platform != "win32"',
#   "safetensors==0.8.0",
#   "segno==1.6.6",
#   "latex2mathml==3.81.1",
#   "tqdm==4.70.1",
#   "conllu==6.0.0",
# ]
# ///

"""The app: `streamlit run app.py`, `python app.py` or `uv run app.py`. What a session sees is drawn by pages/main.py.

A main script beside the folder pages/ would have Streamlit look for pages there by itself until that script has named
them: whom a link led to a new server was told "Page not found".
"""

import runpy
import sys

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from pages.front import connections, headers, routes, visitors
from pages.ui.frame import cold_start
from pages.ui.server import visitor
from pages.ui.server.message_rate import MessageRate
from pages.ui.server.sending import SendingBound
from pages.ui.state.site import base

if __name__ == "__main__":  # as `streamlit run app.py`: options and the environment count, allowed hosts among them
    sys.argv[:] = ["streamlit", "run", *sys.argv]
    runpy.run_module("streamlit", run_name="__main__")

connections.watch()
app = st.App(
    "pages/main.py",
    routes=routes.routes(),
    lifespan=cold_start.by_itself,
    middleware=[
        Middleware(
            TrustedHostMiddleware, allowed_hosts=st.get_option("server.allowedHosts") or ["*"], www_redirect=False
        ),
        Middleware(cold_start.Requests),
        Middleware(visitor.Lines, who=visitors.visitor),
        Middleware(MessageRate, who=visitors.visitor),
        Middleware(headers.Headers),
        Middleware(SendingBound, apart=f"{base()}/api/"),
    ],
)
