import { choice } from './search'

/** The order of a list, as the API names it: "name", or "-name" if descending; undefined is the usual one. */
type Order = string | undefined

/** Returns the order in a page's address, by one of these names, for a route's `validateSearch`. */
export function orderIn<Name extends string>(search: Record<string, unknown>, names: readonly Name[]) {
  return choice(
    search,
    'order',
    names.flatMap((name) => [name, `-${name}`] as const),
  )
}

export function directionOf(column: string, order: Order): 'ascending' | 'descending' | 'none' {
  if (order === column) return 'ascending'
  return order === `-${column}` ? 'descending' : 'none'
}

/** Returns the order once the head of a column was pressed: ascending, then descending, then the usual one. */
export function nextOrder(column: string, order: Order): Order {
  if (order === column) return `-${column}`
  return order === `-${column}` ? undefined : column
}
