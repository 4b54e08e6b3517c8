"""The CA and the serving certificate: made, published, rotated, reloaded."""
