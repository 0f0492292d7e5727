"""Questions about images, spoken: image features, speech recognition, and the answer."""
