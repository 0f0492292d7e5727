import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef } from 'react'
import { plural } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'
import { fileAt, type DiffItems, type Item } from '@/lib/diffItems'
import { DiffNav } from './DiffNav'
import { DiffContent, DiffFields, DiffFileHead, DiffLine } from './DiffParts'
import classes from './diff.module.css'

const OVERSCAN = 20
/** Estimated heights of items until they are visible and measured. */
const HEIGHTS: Record<Item['type'], number> = { fields: 120, file: 40, content: 96, row: 20 }

type Props = {
  path: TaskPath
  from: string
  to: string
  listing: DiffItems
  /** The file to begin with. */
  file: string | undefined
  command: string
}

/** All differences in one list; only visible ones are in the document, so that large ones stay fast. */
export function DiffView({ path, from, to, listing, file, command }: Props) {
  const { items, files } = listing
  const scroller = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- the compiler that it would hinder is not used
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[items[index]?.type ?? 'row'],
    overscan: OVERSCAN,
  })
  const shown = virtual.getVirtualItems()
  const offset = virtual.scrollOffset ?? 0
  const first = shown.find(({ end }) => end > offset)?.index ?? 0
  const current = fileAt(items, first)
  const go = useCallback(
    (index: number) => {
      virtual.scrollToIndex(index, { align: 'start' })
      scroller.current?.focus({ preventScroll: true })
    },
    [virtual],
  )
  const wanted = files.find(({ change }) => change.path === file)?.at
  useEffect(() => {
    if (wanted !== undefined) go(wanted)
  }, [wanted, go])
  return (
    <div className={classes.view}>
      <DiffNav listing={listing} current={current} command={command} onGo={go} />
      <div className={classes.frame}>
        <div className={classes.sides}>
          <span>
            {from} {current && <code title={current.change.path}>{current.change.path}</code>}
          </span>
          <span>
            {to} {current && <code title={current.change.path}>{current.change.path}</code>}
          </span>
        </div>
        <div
          ref={scroller}
          className={classes.scroller}
          tabIndex={0}
          role="region"
          aria-label={`What changed from ${from} to ${to}, ${plural(files.length, 'file')}`}
        >
          <div className={classes.all} style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ index, key, start }) => (
              <div
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className={classes.item}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Part item={items[index]} path={path} from={from} to={to} />
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

type PartProps = { item: Item | undefined; path: TaskPath; from: string; to: string }

function Part({ item, path, from, to }: PartProps) {
  switch (item?.type) {
    case 'fields':
      return <DiffFields fields={item.fields} />
    case 'file':
      return <DiffFileHead file={item.file} />
    case 'content':
      return <DiffContent change={item.file.change} path={path} from={from} to={to} />
    case 'row':
      return <DiffLine row={item.row} />
    case undefined:
      return null
  }
}
