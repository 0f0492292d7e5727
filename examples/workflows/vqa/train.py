"""Train the heads of the models of images on generated ones: least squares, a few seconds.

From the top of the repository: python examples/workflows/vqa/train.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from models import CONVOLUTIONS, image_vector
from scenes import ANSWERS, image

IMAGES = 3000
RIDGE = 60.0


def main() -> None:
    rng = np.random.default_rng(6)
    images = [image(rng) for _ in range(IMAGES)]
    weights = {}
    for model in CONVOLUTIONS:
        vectors = np.stack([image_vector(pixels, model) for pixels, _ in images]).astype(np.float64)
        mean, spread = vectors.mean(0), vectors.std(0) + 1e-6
        inputs = np.column_stack([(vectors - mean) / spread, np.ones(IMAGES)])
        for question, answers in ANSWERS.items():
            wanted = np.array([[answer == truth[question] for answer in answers] for _, truth in images], float)
            found = np.linalg.solve(inputs.T @ inputs + RIDGE * np.eye(inputs.shape[1]), inputs.T @ wanted)
            scaled = found[:-1] / spread[:, None]
            weights[f"{model}-{question}"] = np.vstack([scaled, found[-1:] - mean @ scaled]).astype(np.float32)
    np.savez_compressed(Path(__file__).with_name("heads.npz"), **weights)


if __name__ == "__main__":
    main()
