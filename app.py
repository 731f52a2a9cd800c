"""The app, as a server runs it: `streamlit run app.py`. What a session sees is drawn by pages/main.py.

A main script beside the folder pages/ would have Streamlit look for pages there by itself until that script has named
them: whom a link led to a new server was told "Page not found".
"""

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from pages.front import connections, headers, routes, visitors
from pages.ui.frame import cold_start
from pages.ui.server import visitor
from pages.ui.server.message_rate import MessageRate
from pages.ui.server.sending import SendingBound
from pages.ui.state.site import base

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
