import { memo, useEffect } from 'react'
import { ChangeSums } from '@/components/ChangeSums'
import { CopyText } from '@/components/CopyText'
import { rowAt, useRows } from '@/hooks/useRows'
import { plural } from '@/lib/format'
import type { ChangedFile, DiffItems } from '@/lib/diffItems'
import classes from './diff.module.css'

/** The height of a row in pixels, with the gap below it. */
const ROW = 32

type Props = { listing: DiffItems; current: ChangedFile | null; command: string; onGo: (index: number) => void }

/** A summary of the changes, with links to each. */
export const DiffNav = memo(function DiffNav({ listing: { items, files }, current, command, onGo }: Props) {
  const declarations = items[0]?.type === 'fields' ? items[0].fields.length : 0
  // Declarations come before all files.
  const before = declarations > 0 ? 1 : 0
  const all = files.length + before
  const here = current === null ? 0 : files.indexOf(current) + before
  const { scroller, virtual, active, setActive, move } = useRows<HTMLUListElement>({ count: all, height: ROW })
  useEffect(() => {
    setActive(here)
    virtual.scrollToIndex(here)
  }, [here, setActive, virtual])
  return (
    <nav aria-label="Changed files" className={classes.nav}>
      <h2>{plural(files.length, 'file')} changed</h2>
      <ul ref={scroller} onKeyDown={move} onFocus={({ target }) => setActive((was) => rowAt(target) ?? was)}>
        <li aria-hidden="true" style={{ height: virtual.getTotalSize() }} />
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <Entry
            key={key}
            file={files[index - before] ?? null}
            declarations={declarations}
            index={index}
            all={all}
            start={start}
            isHere={index === here}
            isActive={index === active}
            onGo={onGo}
          />
        ))}
      </ul>
      <div className={classes.terminal}>
        <span className="muted">In a terminal</span>
        <CopyText block text={command} label="command" />
      </div>
    </nav>
  )
})

type EntryProps = {
  /** Null stands for the declarations. */
  file: ChangedFile | null
  declarations: number
  index: number
  all: number
  start: number
  isHere: boolean
  isActive: boolean
  onGo: (index: number) => void
}

const Entry = memo(function Entry(props: EntryProps) {
  const { file, declarations, index, all, start, isHere, isActive, onGo } = props
  return (
    <li aria-setsize={all} aria-posinset={index + 1} style={{ transform: `translateY(${start}px)` }}>
      <button
        type="button"
        data-index={index}
        tabIndex={isActive ? 0 : -1}
        title={file?.change.path}
        onClick={() => onGo(file?.at ?? 0)}
        aria-current={isHere ? 'true' : undefined}
      >
        {file ? <code>{file.change.path}</code> : <span>Declarations</span>}
        {file ? <ChangeSums file={file} /> : <span className="muted">{declarations}</span>}
      </button>
    </li>
  )
})
