"""Cards: what a feature draws, as data (`card`), and as LINE's Flex messages (`drawing`)."""
