import { Button, Checkbox, Popover } from '@mantine/core'
import { Columns3 } from 'lucide-react'
import type { PagePath, RequestParams, RowOf } from '@/api/reading'
import type { ColumnChoice } from '@/hooks/useColumns'
import type { Column } from './DataTable'
import { DownloadButton } from './DownloadButton'
import { ViewsMenu } from './ViewsMenu'
import classes from './dataTable.module.css'

type Props<P extends PagePath> = {
  choice: ColumnChoice<Column<RowOf<P>>>
  /** The list of the API, with the filters and the order of the page. */
  path: P
  params: RequestParams<P>
}

/** What can be done with a DataTable: save a view, choose its columns, download its rows. */
export function TableTools<P extends PagePath>({ choice, path, params }: Props<P>) {
  return (
    <div className={classes.tools}>
      <ViewsMenu table={choice.table} columns={choice.shown} />
      <ColumnsMenu choice={choice} />
      <DownloadButton name={choice.table} columns={choice.shown} path={path} params={params} />
    </div>
  )
}

/** A choice of the columns that are shown. */
export function ColumnsMenu<Row>({ choice: { all, shown, toggle } }: { choice: ColumnChoice<Column<Row>> }) {
  return (
    <Popover position="bottom-end" withinPortal={false} trapFocus>
      <Popover.Target>
        <Button variant="default" size="compact-sm" leftSection={<Columns3 size={13} aria-hidden="true" />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.menu}>
        {all.slice(1).map((column) => (
          <Checkbox
            key={column.key}
            size="xs"
            label={column.header}
            checked={shown.includes(column)}
            onChange={() => toggle(column.key)}
          />
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}
