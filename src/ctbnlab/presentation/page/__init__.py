"""The page on the user's own data: one HTML file with a graph to explore, which works offline."""
