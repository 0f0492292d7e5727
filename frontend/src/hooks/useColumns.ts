import { useEffect, useMemo } from 'react'
import { keepChoice, keptChoice, shownColumns, withToggled, type Choosable, type ColumnsSearch } from '@/lib/columns'
import { useFilters } from './useFilters'

export type ColumnChoice<Column> = {
  table: string
  all: readonly Column[]
  shown: Column[]
  toggle: (key: string) => void
}

/**
 * Returns the columns of a table that are shown: those in the address, else those last chosen in this browser, which
 * the address then holds, so that it can be shared. The page's `validateSearch` reads `columns`.
 */
export function useColumns<Column extends Choosable>(table: string, all: readonly Column[]): ColumnChoice<Column> {
  const [{ columns }, setFilters] = useFilters<ColumnsSearch>()
  const kept = keptChoice(table)
  const choice = columns ?? kept
  useEffect(() => {
    if (columns === undefined && kept !== undefined) setFilters({ columns: kept })
  }, [columns, kept, setFilters])
  const shown = useMemo(() => shownColumns(all, choice), [all, choice])
  const toggle = (key: string) => {
    const chosen = withToggled(all, choice, key)
    keepChoice(table, chosen)
    setFilters({ columns: chosen })
  }
  return { table, all, shown, toggle }
}
