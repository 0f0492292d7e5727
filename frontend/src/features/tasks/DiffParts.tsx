import { CircleMinus, CirclePlus, CircleDot, UnfoldVertical, type LucideIcon } from 'lucide-react'
import { memo } from 'react'
import { CopyDigest } from '@/components/CopyText'
import { Fact, Facts } from '@/components/Facts'
import { StatusMark } from '@/components/StatusMark'
import { bytes, plural } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'
import type { Tone } from '@/lib/tone'
import { ChangeSums } from '@/components/ChangeSums'
import { fieldText, type ChangedFile, type FieldChange, type FileChange } from '@/lib/diffItems'
import { emphasis, type Emphasis } from './emphasis'
import { contentAddress } from './files'
import { visible } from './invisible'
import { isGap, type DiffRow, type Line } from '@/lib/unified'
import classes from './diff.module.css'

/** Of longer lines, such as models in JSON, only the beginning is shown. */
const LONGEST = 2_000

const CHANGES: Record<FileChange['change'], [Tone, LucideIcon]> = {
  added: ['ok', CirclePlus],
  removed: ['bad', CircleMinus],
  changed: ['running', CircleDot],
}

const OMITTED: Record<NonNullable<FileChange['omitted']>, string> = {
  binary: 'Binary file: compared by size and digest.',
  'too-large': 'Too large for a comparison by lines: compared by size and digest.',
  exclusive: 'Exclusive file: its content differs by device, so only its declaration is compared.',
}

export function DiffFileHead({ file }: { file: ChangedFile }) {
  const [tone, icon] = CHANGES[file.change.change]
  return (
    <div className={classes.fileHead}>
      <StatusMark tone={tone} icon={icon}>
        {file.change.change}
      </StatusMark>
      <h3>
        <code>{file.change.path}</code>
      </h3>
      <ChangeSums file={file} />
    </div>
  )
}

/** The differences in task.toml. */
export function DiffFields({ fields }: { fields: readonly FieldChange[] }) {
  return (
    <div className={classes.fields}>
      <h3>Declarations of task.toml</h3>
      {fields.map(({ field, old, new: now }) => (
        <div key={field} className={classes.field}>
          <code>{field}</code>
          <code className={classes.removed}>{fieldText(old)}</code>
          <code className={classes.added}>{fieldText(now)}</code>
        </div>
      ))}
    </div>
  )
}

type ContentProps = { change: FileChange; path: TaskPath; from: string; to: string }

/** A file whose text is not shown: the facts about both sides. */
export function DiffContent({ change, path, from, to }: ContentProps) {
  return (
    <div className={classes.content}>
      <p className="muted">{change.omitted ? OMITTED[change.omitted] : ''}</p>
      <ContentSide side={change.old} other={change.new} file={change.path} path={path} version={from} />
      <ContentSide side={change.new} other={change.old} file={change.path} path={path} version={to} />
    </div>
  )
}

type Side = FileChange['old']

function ContentSide(props: { side: Side; other: Side; file: string; path: TaskPath; version: string }) {
  const { side, other, file, path, version } = props
  if (!side) return <div>not in {version}</div>
  const differs = (one: keyof NonNullable<Side>) => (other !== null && other[one] !== side[one] ? classes.differs : '')
  return (
    <Facts>
      <Fact name="Kind">
        <span className={differs('kind')}>{side.kind}</span>
      </Fact>
      {side.kind === 'shared' && side.digest !== null ? (
        <>
          <Fact name="Size">
            <a
              href={contentAddress(path, version, file)}
              download
              title={`${side.size ?? 0} bytes`}
              className={differs('size')}
            >
              {bytes(side.size ?? 0)}
            </a>
          </Fact>
          <Fact name="SHA-256">
            <span className={differs('digest')}>
              <CopyDigest digest={side.digest} label={`SHA-256 of ${file} in ${version}`} />
            </span>
          </Fact>
        </>
      ) : (
        <>
          <Fact name="Variant">
            <code className={differs('template')}>{side.template}</code>
          </Fact>
          <Fact name="Default">
            <span className={differs('default')}>{side.default ? <code>{side.default}</code> : 'no file'}</span>
          </Fact>
        </>
      )}
    </Facts>
  )
}

/** A line of both sides, or the number of lines left out. */
export const DiffLine = memo(function DiffLine({ row }: { row: DiffRow }) {
  if (isGap(row)) {
    return (
      <div className={classes.gap}>
        <UnfoldVertical size={12} aria-hidden="true" />
        {row.hidden > 0 ? plural(row.hidden, 'unchanged line') : 'unchanged lines'}
      </div>
    )
  }
  const differing = !row.same && row.old && row.new ? emphasis(row.old.text, row.new.text) : null
  return (
    <div className={classes.pair}>
      <LineSide
        line={row.old}
        sign={row.same ? ' ' : '−'}
        differing={differing && [differing.start, differing.oldEnd]}
      />
      <LineSide
        line={row.new}
        sign={row.same ? ' ' : '+'}
        differing={differing && [differing.start, differing.newEnd]}
      />
    </div>
  )
})

type LineSideProps = {
  line: Line | null
  sign: ' ' | '+' | '−'
  /** The part that differs from the line beside it. */
  differing: [Emphasis['start'], number] | null
}

function LineSide({ line, sign, differing }: LineSideProps) {
  if (!line) return <div className={classes.nothing} />
  const kind = sign === '+' ? classes.added : sign === '−' ? classes.removed : ''
  const changeText = sign === '+' ? 'added' : sign === '−' ? 'removed' : ''
  const text = line.text.slice(0, LONGEST)
  const shown = sign === ' ' ? String : visible
  const [start, end] = differing ?? [0, 0]
  return (
    <div className={`${classes.line ?? ''} ${kind ?? ''}`}>
      <span className={classes.number}>{line.number}</span>
      <span className={classes.sign}>
        <span aria-hidden="true">{sign}</span>
        <span className="visually-hidden">{changeText}</span>
      </span>
      <code className={classes.text}>
        {end > start && start < LONGEST ? (
          <>
            {shown(text.slice(0, start))}
            <mark>{shown(text.slice(start, end))}</mark>
            {shown(text.slice(end))}
          </>
        ) : (
          shown(text)
        )}
        {line.text.length > LONGEST && <em> … {line.text.length - LONGEST} more characters</em>}
        {!line.ends && <em> without a line end</em>}
      </code>
    </div>
  )
}
