/** The condition that triggers a stream task, in words. */

/** "on page_enter:item, then click" */
export function triggerText(ids: readonly string[]): string {
  return `on ${ids.join(', then ')}`
}
