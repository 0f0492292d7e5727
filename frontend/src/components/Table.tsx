import type { ComponentProps, ReactNode } from 'react'
import classes from './table.module.css'

type Props = {
  /** The accessible name. */
  label: string
  columns: readonly (string | Column)[]
  /** The rows; the first cell of each is a `<th scope="row">`. */
  children: ReactNode
  foot?: ReactNode
  /** If narrower than this, it scrolls sideways. */
  minWidth?: number
  /** If higher than this, it scrolls under its head. */
  maxHeight?: number
}
/** `end` aligns right, as for numbers. `wide` fills the remaining width. */
type Column = { title: ReactNode; is?: 'end' | 'wide' }

/** The head of a column of numbers. */
export function end(title: string): Column {
  return { title, is: 'end' }
}

/** A small table, all of it in the document; for one that is longer than a screen there is DataTable. */
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

/** A cell with a number or with buttons, aligned right. */
export function NumberCell(props: ComponentProps<'td'>) {
  return <td {...props} className={classes.end} />
}

/** A cell with sentences, which may wrap. */
export function TextCell(props: ComponentProps<'td'>) {
  return <td {...props} className={classes.text} />
}
