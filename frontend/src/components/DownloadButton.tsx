import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { rowsOf, type PagePath, type RequestParams, type RowOf } from '@/api/reading'
import { csv } from '@/lib/csv'
import { count, plural } from '@/lib/format'
import type { Column } from './DataTable'
import { doneToast, refusedToast } from './toasts'

/** A browser holds them all before it has a file. */
const MOST_ROWS = 10_000
const TOLD_EVERY = 100

type Props<P extends PagePath> = {
  /** Of the file. */
  name: string
  columns: readonly Column<RowOf<P>>[]
  path: P
  params: RequestParams<P>
}

/** Downloads all rows of a list as CSV, not only those that are shown: at most MOST_ROWS. */
export function DownloadButton<P extends PagePath>({ name, columns, path, params }: Props<P>) {
  const [read, setRead] = useState(0)
  const control = useRef(new AbortController())
  useEffect(() => () => control.current.abort(), [])
  const download = useMutation({
    mutationFn: async () => {
      control.current = new AbortController()
      const rows: RowOf<P>[] = []
      for await (const row of rowsOf(path, params, control.current.signal)) {
        if (rows.length === MOST_ROWS) return { rows, isAll: false }
        if (rows.push(row) % TOLD_EVERY === 0) setRead(rows.length)
      }
      return { rows, isAll: true }
    },
    onSuccess: ({ rows, isAll }) => {
      save(`${name}.csv`, tableText(columns, rows))
      const found = plural(rows.length, 'row')
      doneToast(isAll ? `Downloaded ${found}.` : `Downloaded the first ${found}; for others, narrow the filters.`)
    },
    onError: (error) => {
      if (!control.current.signal.aborted) refusedToast('Nothing was downloaded', error)
    },
    onSettled: () => setRead(0),
  })
  if (download.isPending) {
    return (
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<X size={13} aria-hidden="true" />}
        onClick={() => control.current.abort()}
      >
        Cancel: {count(read)} rows read
      </Button>
    )
  }
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<Download size={13} aria-hidden="true" />}
      onClick={() => download.mutate()}
    >
      Download CSV
    </Button>
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
