"""git's receive hooks: `python -m tasks_app.hooks pre-receive|post-receive`, started by git for each push.

git gives one line per updated reference on standard input; what is written to standard error reaches the
person who pushes, after "remote:". What they need to know besides comes in WALLE_PUSH_* variables from
tasks_app.git_http.
"""
