"""What each operator of ONNX becomes, a module for each family; `catalogue` has all of them."""
