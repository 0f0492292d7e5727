/** Adds the chosen name to the names to choose from, while they load or if there is no such name. */
export function withChosen(names: readonly string[] | undefined, chosen: string | null | undefined): string[] {
  const known = names ?? []
  return !chosen || known.includes(chosen) ? [...known] : [chosen, ...known]
}
