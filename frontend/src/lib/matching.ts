/** Returns how well a text matches what was typed: all words in it, beginnings of words first; null without a match. */
export function fit(typed: string, text: string): number | null {
  const haystack = text.toLowerCase()
  let total = 0
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = haystack.indexOf(word)
    if (at < 0) return null
    total += at === 0 ? 0 : /[\s/\-.]/.test(haystack[at - 1] ?? '') ? 1 : 2
  }
  return total
}

/** Returns the matching items, the best first, otherwise in their order. */
export function fitting<Item>(typed: string, items: readonly Item[], textOf: (item: Item) => string): Item[] {
  return items
    .flatMap((item) => {
      const score = fit(typed, textOf(item))
      return score === null ? [] : [{ item, score }]
    })
    .sort((a, b) => a.score - b.score)
    .map(({ item }) => item)
}
