import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react'
import { memo, useEffect, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react'
import { rowAt, useRows } from '@/hooks/useRows'
import { directionOf, nextOrder } from '@/lib/order'
import { ErrorNote } from './ErrorNote'
import { LinesSkeleton } from './Skeletons'
import classes from './dataTable.module.css'

const ROW = 36
/** The next page is requested this number of rows before the end. */
const AHEAD = 30

export type Column<Row> = {
  key: string
  header: ReactNode
  /** A track of CSS grid: `2fr`, `120px`, `minmax(160px, 1fr)`; the default is 1fr. */
  width?: string
  align?: 'end'
  /** Hidden if the window is narrower than 992 px. */
  wide?: boolean
  /** Hidden until it is chosen. */
  optional?: boolean
  render: (row: Row) => ReactNode
  /** The cell of a downloaded table, which leaves out columns without it. */
  text?: (row: Row) => string
  /** What the API calls the order by this column; its head then sorts by it. */
  order?: string
}

type Props<Row> = {
  /** The accessible name, such as "Devices". */
  label: string
  /** Pass the same array in each rendering, so that rows need not be rendered again. */
  columns: Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  /** Called for Enter on a row, or a click; the first column should hold a link to the same place. */
  onOpen?: (row: Row) => void
  /** True before there are any rows. */
  isLoading?: boolean
  error?: unknown
  refetch?: () => void
  hasMore?: boolean
  isLoadingMore?: boolean
  loadMore?: () => void
  /** Shown if there are no rows: an EmptyState. */
  empty: ReactNode
  /** The present order, and what changes it: "name", "-name" if descending, undefined for the usual one. */
  order?: string | undefined
  onOrder?: (order: string | undefined) => void
  /** If narrower than this, or than its columns need, the table scrolls sideways. */
  minWidth?: number
}

/**
 * Rows of the API: only visible ones are in the document, more are requested while scrolling.
 *
 * Fills the remaining height of a filling page. Arrows, j and k, Home, End and Page keys move between rows, Enter opens.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { label, columns, rows, isLoading, error, refetch, hasMore, empty, minWidth = 560 } = props
  if (error && rows.length === 0) return <ErrorNote error={error} retry={refetch} />
  if (!isLoading && !hasMore && rows.length === 0) return <>{empty}</>
  const [tracks, least] = tracksOf(columns, minWidth)
  const [narrow, leastNarrow] = tracksOf(
    columns.filter(({ wide }) => !wide),
    minWidth,
  )
  const style = { '--tracks': tracks, '--least': least, '--tracks-narrow': narrow, '--least-narrow': leastNarrow }
  return <Grid {...props} label={label} style={style as CSSProperties} />
}

/** Returns the tracks of these columns for CSS, and the least width of the table. */
function tracksOf<Row>(columns: readonly Column<Row>[], minWidth: number): [string, string] {
  const tracks = columns.map(({ width }) => width ?? 'minmax(0, 1fr)')
  const needed = tracks.reduce((sum, track) => sum + Number(/(\d+)px/.exec(track)?.[1] ?? 0), 0)
  return [tracks.join(' '), `${Math.max(minWidth, needed)}px`]
}

function Grid<Row>({ style, ...props }: Props<Row> & { style: CSSProperties }) {
  const { label, columns, rows, hasMore, isLoadingMore, loadMore, error } = props
  const keyOf = (index: number) => props.rowKey(rows[index] as Row)
  const { scroller, virtual, active, setActive, move } = useRows<HTMLDivElement>({
    count: rows.length,
    height: ROW,
    head: ROW,
    keyOf,
  })
  const items = virtual.getVirtualItems()
  const last = virtual.range?.endIndex ?? 0
  // A page may be empty before the end.
  const hasNone = rows.length === 0
  const wanted = Boolean(hasMore) && !isLoadingMore && !error && rows.length - last <= AHEAD
  useEffect(() => {
    if (wanted) loadMore?.()
  }, [wanted, loadMore])

  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    move(event)
    const row = rows[active]
    const isRow = event.target instanceof HTMLElement && event.target.role === 'row'
    if (event.key === 'Enter' && isRow && row !== undefined) props.onOpen?.(row)
  }

  return (
    <div className={classes.scroller} ref={scroller} style={style}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className={classes.grid}
        onKeyDown={press}
      >
        <div role="row" aria-rowindex={1} className={classes.head}>
          {columns.map((column) => (
            <Head key={column.key} column={column} order={props.order} onOrder={props.onOrder} />
          ))}
        </div>
        <div
          role="rowgroup"
          className={classes.body}
          style={{ height: virtual.getTotalSize() }}
          onFocus={({ target }) => setActive((before) => rowAt(target) ?? before)}
          onMouseOver={({ target }) => tellWhole(target)}
          onClick={({ target }) => {
            const row = rows[rowAt(target) ?? -1]
            if (row !== undefined && !isControl(target)) props.onOpen?.(row)
          }}
        >
          {items.map(({ index, key, start }) => (
            <TableRow
              key={key}
              row={rows[index] as Row}
              columns={columns}
              index={index}
              start={start}
              opens={props.onOpen !== undefined}
              isNext={index === active}
            />
          ))}
        </div>
      </div>
      {(hasNone || isLoadingMore) && <LinesSkeleton lines={hasNone ? 10 : 2} />}
      {error !== undefined && error !== null && <ErrorNote error={error} retry={props.refetch} />}
    </div>
  )
}

type HeadProps<Row> = Pick<Props<Row>, 'order' | 'onOrder'> & { column: Column<Row> }

function Head<Row>({ column, order, onOrder }: HeadProps<Row>) {
  if (column.order === undefined || !onOrder) {
    return (
      <div role="columnheader" className={cell(column)}>
        {column.header}
      </div>
    )
  }
  const direction = directionOf(column.order, order)
  const Icon = direction === 'descending' ? ArrowDown : direction === 'ascending' ? ArrowUp : ArrowUpDown
  return (
    <div role="columnheader" aria-sort={direction} className={cell(column)}>
      <button type="button" className={classes.sort} onClick={() => onOrder(nextOrder(column.order ?? '', order))}>
        {column.header}
        <Icon size={12} aria-hidden="true" />
      </button>
    </div>
  )
}

type RowProps<Row> = {
  row: Row
  columns: Column<Row>[]
  index: number
  start: number
  opens: boolean
  /** Whether Tab leads to this row. */
  isNext: boolean
}

function PlainRow<Row>({ row, columns, index, start, opens, isNext }: RowProps<Row>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={isNext ? 0 : -1}
      className={opens ? classes.rowOpens : classes.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      {columns.map((column) => (
        <div key={column.key} role="gridcell" className={cell(column)}>
          {column.render(row)}
        </div>
      ))}
    </div>
  )
}

/** Memoized, so that scrolling renders only the rows that come into view. */
const TableRow = memo(PlainRow) as typeof PlainRow

/** Sets the complete text of a truncated cell as its title. */
function tellWhole(target: EventTarget): void {
  const found = target instanceof Element ? target.closest<HTMLElement>('[role="gridcell"]') : null
  if (!found) return
  const isCut = [found, ...found.children].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  found.title = isCut ? found.textContent : ''
}

function cell<Row>(column: Column<Row>): string {
  return [classes.cell, column.align === 'end' ? classes.end : '', column.wide ? classes.wide : ''].join(' ')
}

/** Returns whether a click belongs to a link or button in a row, or ends a text selection. */
function isControl(target: EventTarget): boolean {
  const selecting = getSelection()?.isCollapsed === false
  return selecting || (target instanceof Element && target.closest('a, button, input, label') !== null)
}
