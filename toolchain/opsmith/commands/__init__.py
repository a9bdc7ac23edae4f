"""Commands of the compiler, as build actions run them."""
