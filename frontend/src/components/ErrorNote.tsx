import { Button } from '@mantine/core'
import { CircleX } from 'lucide-react'
import { ApiProblem } from '@/api/problem'
import { Notice } from './Notice'

/** The status of requests that would be refused again unless they change. */
const REFUSED_AS_IT_IS = 400

/** Shows why a request failed, which fields are at fault, and what to do next. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof ApiProblem ? error : null
  const fields = problem?.errors.filter(({ field }) => field !== '') ?? []
  const again = retry && problem?.status !== REFUSED_AS_IT_IS && (
    <Button variant="default" onClick={retry}>
      Try again
    </Button>
  )
  return (
    <Notice role="alert" tone="bad" icon={CircleX} action={again}>
      {fields.length === 0 && <strong>{messageOf(error)}</strong>}
      {fields.length > 0 && (
        <ul>
          {fields.map(({ field, detail }) => (
            <li key={field + detail}>
              <code>{field}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      {problem?.nextStep && <div>{problem.nextStep}</div>}
    </Notice>
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.'
}
