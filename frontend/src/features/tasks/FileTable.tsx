import { Link } from '@tanstack/react-router'
import { Cloud, File, FileCode, UserRound } from 'lucide-react'
import { CopyDigest } from '@/components/CopyText'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { Panel } from '@/components/Page'
import { bytes, plural } from '@/lib/format'
import { fileSums } from './files'
import type { VersionDetail } from './queries'
import classes from './task.module.css'

type VersionFile = VersionDetail['files'][number]

const NONE: VersionFile[] = []
const KINDS = { shared: File, exclusive: UserRound, source: FileCode, cloud: Cloud }

type Props = {
  detail: VersionDetail | undefined
  /** The file shown below. */ open: string | undefined
  onOpen: (path: string) => void
}

/**
 * The files that devices install: shared ones with their digest, exclusive ones with what decides about the variant; and
 * the sources of those that are bytecode and the files of the cloud half, which stay here.
 */
export function FileTable({ detail, open, onOpen }: Props) {
  const columns: Column<VersionFile>[] = [
    {
      key: 'path',
      header: 'File',
      width: 'minmax(140px, 2fr)',
      render: (file) => (
        <code title={file.path}>
          {file.kind !== 'exclusive' ? (
            <Link
              to="."
              search={((before: object) => ({ ...before, file: file.path })) as never}
              replace
              resetScroll={false}
              aria-current={file.path === open ? 'true' : undefined}
              className={classes.version}
            >
              {file.path}
            </Link>
          ) : (
            file.path
          )}
        </code>
      ),
    },
    { key: 'kind', header: 'Kind', width: '112px', render: ({ kind }) => <FileKind kind={kind} /> },
    {
      key: 'size',
      header: 'Size',
      width: '88px',
      align: 'end',
      render: ({ size }) => (size === null ? '' : bytes(size)),
    },
    { key: 'content', header: 'Content', width: 'minmax(168px, 2fr)', render: (file) => <Content file={file} /> },
  ]
  const files = detail?.files ?? NONE
  return (
    <Panel title="Files" beside={detail && <span className="muted">{fileSums(files)}</span>}>
      <div className={classes.files}>
        <DataTable
          label="Files"
          columns={columns}
          rows={files}
          rowKey={(file) => file.path}
          onOpen={(file) => file.kind !== 'exclusive' && onOpen(file.path)}
          isLoading={!detail}
          empty={<EmptyState title="No files">This version has no files for devices.</EmptyState>}
          minWidth={520}
        />
      </div>
    </Panel>
  )
}

function FileKind({ kind }: { kind: VersionFile['kind'] }) {
  const Icon = KINDS[kind]
  return (
    <span className={classes.kind}>
      <Icon size={14} aria-hidden="true" />
      {kind}
    </span>
  )
}

function Content({ file }: { file: VersionFile }) {
  if (file.digest !== null) {
    return <CopyDigest digest={file.digest} label={`SHA-256 of ${file.path}`} />
  }
  const standIn = file.default ? `, default ${file.default}` : ''
  const summary = `${plural(file.variant_count, 'variant')}${standIn}`
  return (
    <span title={`${file.template}: ${summary}`}>
      <code>{file.template}</code>: {summary}
    </span>
  )
}
