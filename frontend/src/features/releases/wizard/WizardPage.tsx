import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { UserRoundX } from 'lucide-react'
import { useState } from 'react'
import { reading } from '@/api/reading'
import { useUser } from '@/app/session/SessionGate'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { LinesSkeleton } from '@/components/Skeletons'
import { useRights } from '@/hooks/useRights'
import { useVocabulary } from '@/hooks/useVocabulary'
import { missingAnywhere } from '@/lib/rights'
import type { Operator } from '@/lib/vocabulary'
import { draftOf, emptyDraft, storedDraftOf, type Draft } from './draft'
import { deleteDraft, saveDraft, loadDraft } from './draftStore'
import { Wizard } from './Wizard'

const route = getRouteApi('/releases/new')

/** Creates a new release, or clones one: `?clone=4`. */
export function WizardPage() {
  const { username } = useUser()
  const { clone, ...named } = route.useSearch()
  const { app, scenario, task, version } = named
  const name = [username, clone, app, scenario, task, version].map((each) => each ?? '').join(' ')
  const vocabulary = useVocabulary()
  const operators = vocabulary.data?.operators
  const [round, setRound] = useState(0)
  const restart = () => {
    deleteDraft(name)
    setRound(round + 1)
  }
  const cloned = clone && (
    <>
      clone of{' '}
      <Link to="/releases/$id" params={{ id: clone }}>
        release {clone}
      </Link>
    </>
  )
  const above = [<Link to="/releases">Releases</Link>, ...(cloned ? [cloned] : [])]
  const header = (
    <PageHeader
      title="New release"
      above={above}
      actions={
        <Button variant="default" onClick={restart}>
          Start over
        </Button>
      }
    />
  )
  const key = `${name} ${round}`
  const refusal = missingAnywhere(useRights(), 'release', 'scenario')
  if (refusal !== null) {
    return (
      <Page header={<PageHeader title="New release" above={above} passing />}>
        <EmptyState title="You have no permission to release" icon={UserRoundX}>
          {refusal}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page header={header}>
      {vocabulary.error && <ErrorNote error={vocabulary.error} retry={() => void vocabulary.refetch()} />}
      {!vocabulary.error && !operators && <LinesSkeleton lines={8} />}
      {operators &&
        (clone ? (
          <Cloned key={key} id={clone} name={name} operators={operators} />
        ) : (
          <Drafting key={key} name={name} start={emptyDraft(named)} operators={operators} />
        ))}
    </Page>
  )
}

type Operators = { operators: readonly Operator[] }

function Cloned({ id, name, operators }: { id: string; name: string } & Operators) {
  const release = useQuery({
    ...reading('/api/v1/releases/{release}/clone', { path: { release: Number(id) } }),
    // The draft stays as it was when this began.
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (release.error) return <ErrorNote error={release.error} retry={() => void release.refetch()} />
  if (!release.data) return <LinesSkeleton lines={8} />
  const { version, was } = release.data
  return (
    <>
      {version !== was && (
        <p className="note" data-cloned-version={version}>
          {`Begins with ${version}, the newest version that may be released; release ${id} was of ${was}.`}
        </p>
      )}
      <Drafting name={name} start={draftOf(release.data, operators)} operators={operators} />
    </>
  )
}

/** Holds the draft, and stores it in this tab. */
function Drafting({ name, start, operators }: { name: string; start: Draft } & Operators) {
  const [draft, setDraft] = useState(() => {
    const before = loadDraft(name)
    return before ? draftOf(before, operators) : start
  })
  const change = (some: Partial<Draft>) => {
    const next = { ...draft, ...some }
    setDraft(next)
    saveDraft(name, storedDraftOf(next))
  }
  return <Wizard draft={draft} operators={operators} change={change} onMade={() => deleteDraft(name)} />
}
