import { Button, CloseButton, Popover, TextInput } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { Bookmark } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useRights } from '@/hooks/useRights'
import { keepViews, LONGEST_NAME, savedViews, withView, type View } from '@/lib/savedViews'
import { parseSearch } from '@/lib/search'
import { doneToast, refusedToast } from './toasts'
import classes from './dataTable.module.css'

/** The views of a table that somebody saved in this browser: filters and columns, as the page's address has them. */
export function ViewsMenu({ table }: { table: string }) {
  const [isOpen, setOpen] = useState(false)
  const { username, isKnown } = useRights()
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus>
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
      <Popover.Dropdown className={classes.views}>
        <Views table={table} username={username} onChoose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

type ViewsProps = { table: string; username: string; onChoose: () => void }

function Views({ table, username, onChoose }: ViewsProps) {
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
          {views.map(({ name, query }) => (
            <li key={name}>
              <Link to="." search={parseSearch(query) as never} onClick={onChoose}>
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
      <SaveView views={views} onSave={keep} />
    </>
  )
}

function SaveView({ views, onSave }: { views: readonly View[]; onSave: (views: View[]) => boolean }) {
  const [name, setName] = useState('')
  const query = useLocation({ select: ({ searchStr }) => searchStr })
  const save = (event: FormEvent) => {
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
