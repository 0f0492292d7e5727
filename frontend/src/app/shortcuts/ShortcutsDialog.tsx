import { Modal } from '@mantine/core'
import { Fragment } from 'react'
import { useNavigationPages } from '../pages'
import classes from './shortcuts.module.css'

type Line = { keys: readonly string[]; does: string }

const EVERYWHERE: Line[] = [
  { keys: ['?'], does: 'Show these shortcuts' },
  { keys: ['Ctrl', 'K'], does: 'Go to any page, task, release or device' },
  { keys: ['/'], does: 'Search this page' },
  { keys: ['Esc'], does: 'Close a dialog or menu' },
]
const IN_LISTS: Line[] = [
  { keys: ['j'], does: 'Next row' },
  { keys: ['k'], does: 'Row before' },
  { keys: ['Page Down'], does: 'A screen further' },
  { keys: ['Home'], does: 'First row' },
  { keys: ['End'], does: 'Last row' },
  { keys: ['Enter'], does: 'Open the row' },
]

/** Lists the keys that work on every page, for this person. */
export default function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const pages = useNavigationPages().flatMap(({ title, key }) => (key ? [{ keys: ['g', key], does: title }] : []))
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <div className={classes.groups}>
        <Group heading="Everywhere" lines={EVERYWHERE} />
        <Group heading="Pages, one key after the other" lines={pages} />
        <Group heading="Lists" lines={IN_LISTS} />
      </div>
    </Modal>
  )
}

function Group({ heading, lines }: { heading: string; lines: readonly Line[] }) {
  return (
    <section>
      <h3 className={classes.heading}>{heading}</h3>
      <dl className={classes.lines}>
        {lines.map(({ keys, does }) => (
          <Fragment key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key} className={classes.key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  )
}
