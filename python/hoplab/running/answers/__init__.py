"""What a comparison answers: tests of its pairs as sentences, and what stands beside them."""
