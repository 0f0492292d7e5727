import { Button, CloseButton, Popover, TextInput } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { Bookmark } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { useRights } from '@/hooks/useRights'
import { keysOf } from '@/lib/columns'
import { keepViews, LONGEST_NAME, savedViews, withView, type View } from '@/lib/savedViews'
import { parseSearch, stringifySearch } from '@/lib/search'
import { doneToast, refusedToast } from './toasts'
import classes from './dataTable.module.css'

type Props = { table: string; columns: readonly { key: string }[] }

/**
 * The views of a table that somebody saved in this browser: filters, order and columns, as the page's address has them.
 */
export function ViewsMenu({ table, columns }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { username, isKnown } = useRights()
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" withinPortal={false} trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Bookmark size={13} aria-hidden="true" />}
          disabled={!isKnown}
          onClick={() => setOpen(!isOpen)}
        >
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.menu}>
        <Views table={table} columns={columns} username={username} onChoose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

type ViewsProps = Props & { username: string; onChoose: () => void }

function Views({ table, columns, username, onChoose }: ViewsProps) {
  const search = useSearch({ strict: false })
  // With its columns, also if they are the usual ones: others may be chosen when the view is opened.
  const query = stringifySearch({ ...search, columns: keysOf(columns) })
  const [views, setViews] = useState(() => savedViews(table, username))
  const keep = (changed: View[]) => {
    const isKept = keepViews(table, username, changed)
    if (isKept) setViews(changed)
    else refusedToast('Nothing was saved', 'This browser keeps nothing for this site.')
    return isKept
  }
  return (
    <>
      {views.length > 0 && (
        <ul>
          {views.map(({ name, query: saved }) => (
            <li key={name}>
              <Link
                to="."
                search={parseSearch(saved) as never}
                onClick={onChoose}
                aria-current={saved === query ? 'true' : undefined}
              >
                {name}
              </Link>
              <CloseButton
                size="sm"
                aria-label={`Remove the view ${name}`}
                onClick={() => keep(views.filter((each) => each.name !== name))}
              />
            </li>
          ))}
        </ul>
      )}
      <SaveView views={views} query={query} onSave={keep} />
    </>
  )
}

type SaveProps = { views: readonly View[]; query: string; onSave: (views: View[]) => boolean }

function SaveView({ views, query, onSave }: SaveProps) {
  const [name, setName] = useState('')
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    const changed = withView(views, { name: name.trim(), query })
    if (changed === null) return refusedToast('The view was not saved', 'There are too many; remove one first.')
    if (!onSave(changed)) return
    setName('')
    doneToast('The view was saved in this browser. Its address can be shared.')
  }
  return (
    <form onSubmit={save}>
      <TextInput
        aria-label="Name of the view"
        placeholder="Name of this view"
        maxLength={LONGEST_NAME}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  )
}
