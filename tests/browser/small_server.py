"""Run the app as `streamlit run` does, as a server that keeps little: python small_server.py run app.py."""

import sys
import time
from threading import Thread

sys.path.insert(0, "")
from streamlit.web.cli import main

from pages.ui.server import memory

EVERY = 5.0  # seconds between two times that what is free is handed back
memory.KEPT_MB, memory.RUNS_MB = 300.0, 100.0  # of models, runs and results; of runs
memory.KEPT_BYTES = 2**25


def hand_back() -> None:
    """Hand back what is free, again and again."""
    while True:
        time.sleep(EVERY)
        memory.give_back_freed_memory()


Thread(target=hand_back, daemon=True).start()
main()
