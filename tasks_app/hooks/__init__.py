"""git's receive hooks.

git runs `client` for each hook of each push: a few lines of plain Python that delegate to the warm process (`warm`),
which has Django loaded and forks for each; while it loads Django, clients wait for it. Without one, the client becomes
the hook itself (`python -m tasks_app.hooks <name>`), two seconds slower. Either way `receive` does the work.

git writes one line per updated reference to standard input; what is written to standard error reaches the person who
pushes, after "remote:". Everything else comes in WALLE_PUSH_* variables from tasks_app.git_http.
"""
