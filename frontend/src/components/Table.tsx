import type { ComponentProps, ReactNode } from 'react'
import classes from './table.module.css'

type Props = {
  /** What its rows are, for people who cannot see them. */
  label: string
  columns: readonly (string | Column)[]
  /** Rows; the first cell of each is a `<th scope="row">`. */
  children: ReactNode
  foot?: ReactNode
  /** Narrower than this, it scrolls sideways. */
  minWidth?: number
  /** Higher than this, it scrolls under its head. */
  maxHeight?: number
}
/** `end`: on the right, where numbers stand. `wide`: takes the width that is left. */
type Column = { title: ReactNode; is?: 'end' | 'wide' }

/** The head of a column of numbers. */
export function end(title: string): Column {
  return { title, is: 'end' }
}

/** A small table, all of it in the document; one that is longer than a screen is a DataTable. */
export function Table({ label, columns, children, foot, minWidth, maxHeight }: Props) {
  return (
    <div role="group" aria-label={label} tabIndex={0} className={classes.scroller} style={{ maxHeight }}>
      <table className={classes.table} style={{ minWidth }}>
        <thead>
          <tr>
            {columns.map((column, index) => {
              const { title, is } = typeof column === 'string' ? { title: column } : column
              return (
                <th key={index} scope="col" className={is && classes[is]}>
                  {title}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  )
}

/** A number, on the right. */
export function NumberCell(props: ComponentProps<'td'>) {
  return <td {...props} className={classes.end} />
}

/** Sentences, which may take several lines. */
export function TextCell(props: ComponentProps<'td'>) {
  return <td {...props} className={classes.text} />
}
