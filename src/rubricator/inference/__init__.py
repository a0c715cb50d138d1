"""What is asked of a model: four contracts, one runner, and no words of a model's own where evidence should be."""
