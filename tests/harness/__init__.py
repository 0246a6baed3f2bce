"""What tests and benchmarks share: one browser, one figure on a page, one served site."""
