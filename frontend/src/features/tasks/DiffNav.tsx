import { memo } from 'react'
import { CopyText } from '@/components/CopyText'
import { plural } from '@/lib/format'
import type { ChangedFile, DiffItems } from './diffItems'
import classes from './diff.module.css'

type Props = { laid: DiffItems; current: ChangedFile | null; command: string; onGo: (index: number) => void }

/** What changed, in short; leads to each of it. */
export const DiffNav = memo(function DiffNav({ laid: { items, files }, current, command, onGo }: Props) {
  const declarations = items[0]?.type === 'fields' ? items[0].fields.length : 0
  return (
    <nav aria-label="Changed files" className={classes.nav}>
      <h2>{plural(files.length, 'file')} changed</h2>
      <ul>
        {declarations > 0 && (
          <li>
            <button type="button" onClick={() => onGo(0)} aria-current={current === null ? 'true' : undefined}>
              <span>Declarations</span>
              <span className="muted">{declarations}</span>
            </button>
          </li>
        )}
        {files.map((file) => (
          <li key={file.change.path}>
            <button
              type="button"
              title={file.change.path}
              onClick={() => onGo(file.at)}
              aria-current={file === current ? 'true' : undefined}
            >
              <code>{file.change.path}</code>
              <ChangeSums file={file} />
            </button>
          </li>
        ))}
      </ul>
      <div className={classes.terminal}>
        <span className="muted">In a terminal</span>
        <CopyText block text={command} label="command" />
      </div>
    </nav>
  )
})

/** "+12 −3" of texts; "binary", "exclusive" of others. */
export function ChangeSums({ file: { change, added, removed } }: { file: ChangedFile }) {
  if (change.diff === null) return <span className="muted">{change.omitted ?? ''}</span>
  return (
    <span className={classes.sums}>
      {added > 0 && (
        <span className={classes.addedSum}>
          +{added}
          <span className="visually-hidden"> lines added</span>
        </span>
      )}
      {removed > 0 && (
        <span className={classes.removedSum}>
          −{removed}
          <span className="visually-hidden"> lines removed</span>
        </span>
      )}
    </span>
  )
}
