"""What comes of a match that is over: results, ratings, reviews, and how it might have gone."""
