/**
 * Where the code of a page cannot be fetched. The page is loaded anew only if there is a server to load it from: then a new
 * build was put in place while it was open. While the server is away it stays, with all that was typed.
 */
export function codeIsMissing({ payload }: VitePreloadErrorEvent): void {
  // By the browser's own words the router would know this error, and load the page anew whatever is there.
  payload.message = 'The code of this page cannot be fetched.'
  void fetch(location.href, { method: 'HEAD' }).then(
    ({ ok }) => ok && location.reload(),
    () => undefined,
  )
}
