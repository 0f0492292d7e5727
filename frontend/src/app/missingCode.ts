/**
 * Handles a page whose code cannot be fetched.
 *
 * The page is reloaded only if the server answers: then a new build was installed while it was open. While the server
 * is away the page stays, with everything that was typed.
 */
export function codeIsMissing({ payload }: VitePreloadErrorEvent): void {
  // With the browser's own message the router would recognise this error, and reload the page in any case.
  payload.message = 'The code of this page cannot be fetched.'
  void fetch(location.href, { method: 'HEAD' }).then(
    ({ ok }) => ok && location.reload(),
    () => undefined,
  )
}
