"""The command line: each command parses, calls one library function, and writes."""


def main() -> None:
    """Run the `motionloom` command."""
    from motionloom.cli.app import app

    app()
