"""What both halves share: scopes, identity, authority and ports. Pure: no files, clock, network or randomness."""
