"""View maintenance: what facts that hold no longer take with them."""
