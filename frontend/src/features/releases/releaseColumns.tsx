import type { RowOf } from '@/api/reading'
import type { Column } from '@/components/DataTable'
import { ReleaseLink } from '@/components/links'
import { RelativeTime } from '@/components/RelativeTime'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { ShareBar } from '@/components/ShareBar'
import { StatusMark } from '@/components/StatusMark'
import { count, partOf, percent, share } from '@/lib/format'
import { stateWord } from '@/lib/releaseState'
import { ruleSentence } from '@/lib/ruleSentence'
import { stageOf } from '@/lib/stageName'
import classes from './releases.module.css'

type Row = RowOf<'/api/v1/releases'>
type Progress = NonNullable<Row['progress']>

/** From so many devices on, a share says more than two numbers, which would not fit. */
const MANY = 1000

/** The columns of the list of releases. */
export const RELEASE_COLUMNS: Column<Row>[] = [
  {
    key: 'release',
    header: 'Release',
    width: 'minmax(184px, 2fr)',
    render: (row) => <ReleaseLink release={row.id}>{nameOf(row)}</ReleaseLink>,
    text: nameOf,
    order: 'task',
  },
  {
    key: 'app',
    header: 'App',
    width: 'minmax(64px, 0.6fr)',
    render: ({ app }) => app,
    text: ({ app }) => app,
    order: 'app',
  },
  {
    key: 'state',
    header: 'State',
    width: '156px',
    render: ({ state }) => <ReleaseStateMark state={state} />,
    text: ({ state }) => stateWord(state),
    order: 'state',
  },
  {
    key: 'stage',
    header: 'Stage',
    width: 'minmax(136px, 1fr)',
    render: (row) => <span>{stageOf(progressOf(row))}</span>,
    text: (row) => stageOf(progressOf(row)),
  },
  {
    key: 'installed',
    header: 'Installed',
    width: '152px',
    wide: true,
    render: (row) => <Installed {...progressOf(row).reached} />,
    text: (row) => installedText(progressOf(row).reached),
  },
  {
    key: 'failures',
    header: 'Failures',
    width: '88px',
    render: (row) => <Failures {...progressOf(row).reached} />,
    text: (row) => failuresText(progressOf(row).reached),
  },
  {
    key: 'audience',
    header: 'Audience',
    width: 'minmax(88px, 1fr)',
    wide: true,
    render: (row) => <span>{ruleSentence(row.rule, row.kind)}</span>,
    text: ({ rule, kind }) => ruleSentence(rule, kind),
  },
  {
    key: 'by',
    header: 'By',
    width: 'minmax(72px, 0.6fr)',
    wide: true,
    render: ({ created_by: by }) => <span>{by}</span>,
    text: ({ created_by: by }) => by,
  },
  {
    key: 'moved',
    header: 'Last move',
    width: '104px',
    render: (row) => <RelativeTime at={progressOf(row).moved_at} empty="none yet" />,
    text: (row) => progressOf(row).moved_at ?? '',
    order: 'moved_at',
  },
  {
    key: 'created',
    header: 'Created',
    width: '112px',
    optional: true,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
    text: ({ created_at: at }) => at,
    order: 'created_at',
  },
  {
    key: 'number',
    header: 'Number',
    width: '88px',
    align: 'end',
    optional: true,
    render: ({ id }) => id,
    text: ({ id }) => String(id),
  },
]

function nameOf({ task, version }: Row): string {
  return `${task} ${version}`
}

function progressOf({ progress }: Row): Progress {
  if (!progress) throw new Error('The list was asked for without details.')
  return progress
}

function Installed({ installed, drawn }: Progress['reached']) {
  if (drawn === 0) return '–'
  return (
    <>
      <ShareBar part={installed} whole={drawn} tone="running" label="selected devices have installed it" />
      <span className={classes.counted} title={`${count(installed)} of ${count(drawn)}`}>
        {drawn < MANY ? `${installed} of ${drawn}` : percent(share(installed, drawn))}
      </span>
    </>
  )
}

function installedText({ installed, drawn }: Progress['reached']): string {
  return `${installed} of ${drawn}`
}

function Failures({ failed, reported }: Progress['reached']) {
  if (reported === 0) return '–'
  return failed > 0 ? <StatusMark tone="bad">{partOf(failed, reported)}</StatusMark> : '0'
}

function failuresText({ failed, reported }: Progress['reached']): string {
  return `${failed} of ${reported}`
}
