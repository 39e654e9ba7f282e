"""Reading files: bytes in, a `Reading` out. Nothing here waits, stores or looks at other files."""
