import { Modal } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { nextRow } from '@/lib/rowKeys'
import { useTargets, type Target } from './targets'
import classes from './palette.module.css'

const PAGE = 6

/** Leads to any page by typing a few letters. */
export default function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal.Root opened={opened} onClose={onClose} padding={0} yOffset="12vh" centered={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Go to">
        <Finder opened={opened} onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  )
}

function Finder({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const targets = useTargets(typed, opened)
  const navigate = useNavigate()
  const list = useId()
  const chosen = Math.min(active, Math.max(0, targets.length - 1))

  const go = (target: Target | undefined) => {
    if (!target) return
    onClose()
    if (target.path.startsWith('/admin/')) location.assign(target.path)
    else void navigate({ href: target.path })
  }
  const pressed = (event: KeyboardEvent) => {
    const vertical = event.key.startsWith('Arrow') || event.key.startsWith('Page')
    const to = vertical ? nextRow(event.key, chosen, targets.length, PAGE) : null
    if (to !== null) setActive(to)
    else if (event.key === 'Enter') go(targets[chosen])
    else return
    event.preventDefault()
  }

  return (
    <div className={classes.palette}>
      <input
        className={classes.input}
        role="combobox"
        aria-label="Go to a page, a task, a release or a device"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={targets.length > 0 ? `${list}-${chosen}` : undefined}
        placeholder="Page, task, release, or start of a device id"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={pressed}
      />
      <div role="listbox" id={list} aria-label="Results" className={classes.list}>
        {targets.map((target, index) => {
          const Icon = target.icon
          return (
            <div
              key={`${target.kind} ${target.path}`}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className={classes.option}
              onPointerMove={() => setActive(index)}
              onClick={() => go(target)}
            >
              <Icon size={14} aria-hidden="true" />
              <span className={classes.title}>{target.title}</span>
              <span className={classes.kind}>{target.kind}</span>
            </div>
          )
        })}
        {targets.length === 0 && <div className={classes.nothing}>No results.</div>}
      </div>
    </div>
  )
}
