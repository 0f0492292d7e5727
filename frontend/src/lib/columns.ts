/** Which columns of a table are shown: the first always, the others by choice. */
export type Choosable = { key: string; optional?: boolean }

/** The part of a page's address that holds the choice: keys separated by commas; without it, the usual columns. */
export type ColumnsSearch = { columns?: string | undefined }

/** Returns the chosen columns, in the order of the table. */
export function shownColumns<Column extends Choosable>(
  columns: readonly Column[],
  choice: string | undefined,
): Column[] {
  if (choice === undefined) return columns.filter(({ optional }) => !optional)
  const keys = choice.split(',')
  return columns.filter(({ key }, index) => index === 0 || keys.includes(key))
}

/** Returns the choice once a column was shown or hidden; undefined if these are the usual columns. */
export function withToggled(
  columns: readonly Choosable[],
  choice: string | undefined,
  toggled: string,
): string | undefined {
  const shown = shownColumns(columns, choice)
  const chosen = columns.filter((column) => (column.key === toggled) !== shown.includes(column))
  const text = keysOf(chosen)
  return text === keysOf(shownColumns(columns, undefined)) ? undefined : text
}

/** Returns the choice of these columns. */
export function keysOf(columns: readonly { key: string }[]): string {
  return columns.map(({ key }) => key).join(',')
}

const PREFIX = 'walle-columns '

/** Returns the choice that was last made for a table in this browser. */
export function keptChoice(table: string, storage: Storage = localStorage): string | undefined {
  try {
    return storage.getItem(PREFIX + table) ?? undefined
  } catch {
    return undefined
  }
}

export function keepChoice(table: string, choice: string | undefined, storage: Storage = localStorage): void {
  try {
    if (choice === undefined) storage.removeItem(PREFIX + table)
    else storage.setItem(PREFIX + table, choice)
  } catch {
    // The browser stores nothing, or its storage is full: the choice is in the address.
  }
}
