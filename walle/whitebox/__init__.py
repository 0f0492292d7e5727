"""White-box serving of trained pipelines (PRETZEL): operators, archives, oven, kernels, runtime, serving process."""
