"""Write a report from the command line."""

import sys

from encoder.pictures.report.report import main

if __name__ == "__main__":
    sys.exit(main())
