/** Names to choose from: what is chosen is one of them, also before they have come, and where there is no such name. */
export function withChosen(names: readonly string[] | undefined, chosen: string | null | undefined): string[] {
  const known = names ?? []
  return !chosen || known.includes(chosen) ? [...known] : [chosen, ...known]
}
