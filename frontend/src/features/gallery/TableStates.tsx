import { useState } from 'react'
import { Button } from '@mantine/core'
import { ApiProblem } from '@/api/problem'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { ColumnsMenu } from '@/components/TableTools'
import { ViewsMenu } from '@/components/ViewsMenu'
import { useColumns } from '@/hooks/useColumns'
import { count } from '@/lib/format'
import { serverNow } from '@/lib/serverClock'
import { LONG, ordered, rowsOf, type Sample } from './samples'
import { State, States } from './States'
import classes from './gallery.module.css'

const MANY = 1000
const COLUMNS: Column<Sample>[] = [
  { key: 'name', header: 'Name', width: 'minmax(120px, 1fr)', order: 'name', render: ({ name }) => name },
  { key: 'about', header: 'About', width: 'minmax(120px, 2fr)', render: ({ about }) => about },
  {
    key: 'devices',
    header: 'Devices',
    width: '104px',
    align: 'end',
    order: 'devices',
    render: ({ devices }) => (devices === null ? '–' : count(devices)),
  },
  { key: 'seen', header: 'Seen', width: '112px', render: ({ seen }) => <RelativeTime at={seen} /> },
  { key: 'id', header: 'Number', width: '88px', align: 'end', optional: true, render: ({ id }) => id },
]
const EMPTY = <EmptyState title="No row yet">Rows come from somewhere.</EmptyState>
const REFUSED = ApiProblem.unreachable()

/** Lists of the API, and small tables. */
export function TableStates() {
  const [rows] = useState(() => rowsOf(MANY, serverNow()))
  return (
    <>
      <States of="DataTable" about="rows of the API; arrows, j and k move between them">
        <State name="loading">
          <Sized label="Loading rows" rows={[]} isLoading />
        </State>
        <State name="empty">
          <Sized label="No rows" rows={[]} />
        </State>
        <State name="an error, which can be tried again">
          <Refused rows={rows.slice(0, 3)} />
        </State>
        <State name="one row">
          <Sized label="One row" rows={rows.slice(0, 1)} />
        </State>
        <State name="more rows come">
          <Sized label="Rows before others" rows={rows.slice(0, 2)} hasMore isLoadingMore />
        </State>
        <State name="more rows are refused">
          <Sized label="Rows before an error" rows={rows.slice(0, 2)} hasMore error={REFUSED} />
        </State>
      </States>
      <States of="DataTable with its tools" about="ordered, opened, with chosen columns and saved views" wide>
        <State name="many rows, long texts, missing values">
          <WithTools rows={rows} />
        </State>
      </States>
      <SmallTables />
    </>
  )
}

type SizedProps = Partial<Parameters<typeof DataTable<Sample>>[0]> & { label: string; rows: readonly Sample[] }

function Sized({ columns = COLUMNS.slice(0, 3), ...props }: SizedProps) {
  return (
    <div className={classes.table}>
      <DataTable columns={columns} rowKey={({ id }) => id} empty={EMPTY} minWidth={320} {...props} />
    </div>
  )
}

/** Refused until it was tried again three times. */
function Refused({ rows }: { rows: readonly Sample[] }) {
  const [tries, setTries] = useState(0)
  const isRefused = tries < 3
  return (
    <Sized
      label="Rows after an error"
      rows={isRefused ? [] : rows}
      error={isRefused ? REFUSED : null}
      refetch={() => setTries(tries + 1)}
    />
  )
}

function WithTools({ rows }: { rows: readonly Sample[] }) {
  const choice = useColumns('components', COLUMNS)
  const [order, setOrder] = useState<string>()
  const [opened, setOpened] = useState<Sample | null>(null)
  return (
    <>
      <div className={classes.row}>
        <ViewsMenu table={choice.table} columns={choice.shown} />
        <ColumnsMenu choice={choice} />
        <span className="note" aria-live="polite">
          {opened ? `${opened.name} was opened` : 'No row was opened'}
        </span>
        {opened && (
          <Button variant="subtle" size="compact-sm" onClick={() => setOpened(null)}>
            Close it
          </Button>
        )}
      </div>
      <Sized
        label="Many rows"
        columns={choice.shown}
        rows={ordered(rows, order)}
        order={order}
        onOrder={setOrder}
        onOpen={setOpened}
        minWidth={640}
      />
    </>
  )
}

const SMALL = ['Task', { title: 'About', is: 'wide' }, end('Devices')] as const

function SmallTables() {
  return (
    <States of="Table" about="a small table, all of it in the document">
      <State name="no rows">
        <Table label="A table without rows" columns={SMALL}>
          {null}
        </Table>
      </State>
      <State name="long texts, missing values, a foot">
        <Table label="A table with a foot" columns={SMALL} foot={<Row task="all" about="" devices="3" />}>
          <Row task="digits" about={LONG} devices="3" />
          <Row task="mood" about="–" devices="–" />
        </Table>
      </State>
      <State name="wider and higher than its place">
        <Table label="A table that scrolls" columns={SMALL} minWidth={640} maxHeight={160}>
          {['a', 'b', 'c', 'd', 'e', 'f'].map((task) => (
            <Row key={task} task={task} about="What it is for" devices={count(1000)} />
          ))}
        </Table>
      </State>
      <State name="a row about another">
        <Table label="A table with a sentence" columns={SMALL}>
          <Row task="digits" about={<StatusMark tone="bad">isolated</StatusMark>} devices="0" />
          <tr>
            <TextCell colSpan={3}>digits 1.2.0 did not load. The version before it answers its callers.</TextCell>
          </tr>
        </Table>
      </State>
    </States>
  )
}

function Row({ task, about, devices }: { task: string; about: React.ReactNode; devices: string }) {
  return (
    <tr>
      <th scope="row">{task}</th>
      <TextCell>{about}</TextCell>
      <NumberCell>{devices}</NumberCell>
    </tr>
  )
}
