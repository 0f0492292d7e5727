import { Button } from '@mantine/core'
import { Info, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { ApiProblem } from '@/api/problem'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { NoDeviceYet } from '@/components/NoDeviceYet'
import { NoRole } from '@/components/NoRole'
import { Notice } from '@/components/Notice'
import { LinesSkeleton, PageSkeleton } from '@/components/Skeletons'
import { doneToast, refusedToast, undoToast } from '@/components/toasts'
import { LONG } from './samples'
import { State, States } from './States'
import classes from './gallery.module.css'

const STATUSES = [401, 403, 404, 409, 412, 429, 500, 503]
const INVALID = new ApiProblem({
  title: 'Bad Request',
  status: 400,
  code: 'invalid',
  errors: [
    { field: 'strategy.stages.0.share', detail: 'Expected a number between 0 and 100.' },
    { field: 'rule', detail: LONG },
  ],
})

/** What is shown where there is nothing, nothing yet, or something is wrong. */
export function NoteStates() {
  return (
    <>
      <States of="EmptyState" about="says how something gets here">
        <State name="title">
          <EmptyState title="Nothing here yet" />
        </State>
        <State name="explanation and command">
          <EmptyState title="No release yet" command="walle release create SCENARIO/TASK VERSION --app APP">
            A release brings one version of a task to an app’s devices in stages.
          </EmptyState>
        </State>
        <State name="long">
          <EmptyState title={LONG} command={LONG}>
            {LONG}
          </EmptyState>
        </State>
        <State name="no device yet">
          <NoDeviceYet app={undefined} />
        </State>
        <State name="no role">
          <NoRole where="any app" username="vera">
            Devices belong to apps.
          </NoRole>
        </State>
      </States>
      <States of="ErrorNote" about="what was refused, and what to do next">
        <State name="unreachable, with a way to try again">
          <Tried />
        </State>
        {STATUSES.map((status) => (
          <State key={status} name={String(status)}>
            <ErrorNote error={new ApiProblem({ title: 'It was refused.', status, code: String(status) })} />
          </State>
        ))}
        <State name="fields at fault">
          <ErrorNote error={INVALID} retry={() => undefined} />
        </State>
        <State name="long">
          <ErrorNote error={new Error(LONG)} />
        </State>
        <State name="what is no error">
          <ErrorNote error="?" />
        </State>
      </States>
      <States of="Notice" about="what nobody should overlook">
        <State name="attention, with an action">
          <Notice
            role="note"
            tone="attention"
            icon={TriangleAlert}
            action={
              <Button variant="default" size="compact-sm">
                Review
              </Button>
            }
          >
            <strong>Three devices wait.</strong>
          </Notice>
        </State>
        {(['ok', 'running', 'bad', 'none'] as const).map((tone) => (
          <State key={tone} name={`tone: ${tone}`}>
            <Notice role="note" tone={tone} icon={Info}>
              Some words about it.
            </Notice>
          </State>
        ))}
        <State name="long">
          <Notice role="note" tone="running" icon={Info}>
            {LONG}
          </Notice>
        </State>
      </States>
      <States of="Skeletons" about="as high as what will be there">
        <State name="lines">
          <LinesSkeleton lines={4} />
        </State>
        <State name="a page">
          <PageSkeleton />
        </State>
      </States>
      <States of="Toasts" about="what was done or refused, at the edge of the screen">
        <State name="on demand">
          <div className={classes.row}>
            <Button variant="default" onClick={() => doneToast('It was done.')}>
              Done
            </Button>
            <Button variant="default" onClick={() => undoToast('It was done', () => doneToast('It was undone.'))}>
              Undo
            </Button>
            <Button variant="default" onClick={() => refusedToast('Nothing was done', new ApiProblem(CONFLICT))}>
              Refused
            </Button>
          </div>
        </State>
      </States>
    </>
  )
}

const CONFLICT = { title: 'Conflict', status: 409, code: 'conflict', detail: 'Somebody was here before' }

function Tried() {
  const [tries, setTries] = useState(0)
  return (
    <>
      <ErrorNote error={ApiProblem.unreachable()} retry={() => setTries(tries + 1)} />
      <span className="note">tried again {tries} times</span>
    </>
  )
}
