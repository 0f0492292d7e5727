"""The import of ONNX models. Begin with `translation`; `operators` has what each operator becomes.

All of it runs in a process with limits on its memory and time (`process`), which walle.tensor.importing starts.
"""
