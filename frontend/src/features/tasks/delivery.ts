/** The delivery grants of a scenario, in words. */
type Grant = { app: string; complete_early: boolean }

/** "may deliver to mall, market (also early)" */
export function inWords(grants: readonly Grant[], most = 5): string {
  if (grants.length === 0) return 'may deliver to no app yet'
  const shown = grants
    .slice(0, most)
    .map(({ app, complete_early: early }) => (early ? `${app} (may complete early)` : app))
  const more = grants.length - shown.length
  return `may deliver to ${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`
}
