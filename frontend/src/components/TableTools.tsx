import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Columns3, Download } from 'lucide-react'
import { firstRows, type PagePath, type RequestParams, type RowOf } from '@/api/reading'
import type { ColumnChoice } from '@/hooks/useColumns'
import { csv } from '@/lib/csv'
import { plural } from '@/lib/format'
import type { Column } from './DataTable'
import { doneToast, refusedToast } from './toasts'
import { ViewsMenu } from './ViewsMenu'
import classes from './dataTable.module.css'

type Props<P extends PagePath> = {
  choice: ColumnChoice<RowOf<P>>
  /** The list of the API, with the filters of the page. */
  path: P
  params: RequestParams<P>
}

/** What can be done with a DataTable: save a view, choose its columns, download its rows. */
export function TableTools<P extends PagePath>({ choice, path, params }: Props<P>) {
  const { table, shown } = choice
  const download = useMutation({
    mutationFn: () => firstRows(path, params),
    onSuccess: ({ rows, isAll }) => {
      save(`${table}.csv`, tableText(shown, rows))
      const found = plural(rows.length, 'row')
      doneToast(isAll ? `Downloaded ${found}.` : `Downloaded the first ${found}; for others, narrow the filters.`)
    },
    onError: (error) => refusedToast('Nothing was downloaded', error),
  })
  return (
    <div className={classes.tools}>
      <ViewsMenu table={table} />
      <ColumnsMenu choice={choice} />
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Download size={13} aria-hidden="true" />}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Download CSV
      </Button>
    </div>
  )
}

function ColumnsMenu<Row>({ choice: { all, shown, toggle } }: { choice: ColumnChoice<Row> }) {
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" size="compact-sm" leftSection={<Columns3 size={13} aria-hidden="true" />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {all.slice(1).map((column) => (
          <Menu.CheckboxItem key={column.key} checked={shown.includes(column)} onChange={() => toggle(column.key)}>
            {column.header}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ key, text }) => (text ? [{ key, text }] : []))
  return csv([written.map(({ key }) => key), ...rows.map((row) => written.map(({ text }) => text(row)))])
}

function save(name: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
