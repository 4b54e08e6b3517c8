"""The public functions: they take objects of Python programs and call the layers below."""
