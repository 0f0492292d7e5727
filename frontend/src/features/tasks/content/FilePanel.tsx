import { Button } from '@mantine/core'
import { Download, GitCompare, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { ButtonLink } from '@/components/ButtonLink'
import { CopyDigest } from '@/components/CopyText'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { bytes } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'
import { contentAddress } from '../files'
import type { VersionDetail } from '../queries'
import { kindOf, MOST_BYTES, textIn, type ContentKind } from './contentKind'
import { useFileContent } from './useFileContent'
import classes from './content.module.css'

const TextContent = lazy(() => import('./TextContent'))
const ArrayContent = lazy(() => import('./ArrayContent'))

type Props = {
  path: TaskPath
  version: string
  file: VersionDetail['files'][number]
  /** The version to compare with, if there is one. */
  base: string | undefined
  onClose: () => void
}

/** A file of a version, opened in the page: text with colours, images, arrays by shape and distribution. */
export default function FilePanel({ path, version, file, base, onClose }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'start' })
    panel.current?.focus({ preventScroll: true })
  }, [file.path])
  const address = contentAddress(path, version, file.path)
  const actions = (
    <div className={classes.actions}>
      <span className="muted">{bytes(file.size ?? 0)}</span>
      {file.digest !== null && <CopyDigest digest={file.digest} label={`SHA-256 of ${file.path}`} />}
      {base && (
        <ButtonLink
          variant="default"
          size="compact-sm"
          leftSection={<GitCompare size={14} aria-hidden="true" />}
          to="/tasks/$scenario/$task/diff"
          params={path}
          search={{ from: base, to: version, file: file.path }}
        >
          Compare with {base}
        </ButtonLink>
      )}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Download size={14} aria-hidden="true" />}
        component="a"
        href={address}
        download
      >
        Download file
      </Button>
      <button type="button" className="icon-button" aria-label={`Close ${file.path}`} onClick={onClose}>
        <X size={16} aria-hidden="true" />
      </button>
    </div>
  )
  return (
    <div ref={panel} tabIndex={-1} className={classes.panel}>
      <Panel title={file.path} level={3} beside={actions}>
        <Content kind={kindOf(file.path, file.size ?? 0)} path={file.path} address={address} />
      </Panel>
    </div>
  )
}

function Content({ kind, path, address }: { kind: ContentKind; path: string; address: string }) {
  const isLoaded = kind !== 'image' && kind !== 'bytes'
  const { data, error, refetch } = useFileContent(isLoaded ? address : null)
  if (kind === 'bytes') return <p className="muted">Files above {bytes(MOST_BYTES)} are not shown. Download it.</p>
  if (kind === 'image') return <img src={address} alt={path} className={classes.image} />
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />
  if (!data) return <LinesSkeleton lines={8} height={20} />
  return (
    <Suspense fallback={<LinesSkeleton lines={8} height={20} />}>
      {kind === 'text' ? (
        <Text path={path} content={data} />
      ) : (
        <ArrayContent bytes={data} isArchive={kind === 'arrays'} />
      )}
    </Suspense>
  )
}

function Text({ path, content }: { path: string; content: Uint8Array }) {
  const text = textIn(content)
  if (text === null)
    return <p className="muted">The file is no text. Its digest says whether another one is the same.</p>
  return <TextContent path={path} text={text} />
}
