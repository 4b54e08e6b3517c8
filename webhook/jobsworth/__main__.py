"""``python -m jobsworth``."""

from jobsworth.cli import main

if __name__ == "__main__":
    main()
