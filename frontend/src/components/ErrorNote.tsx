import { Button } from '@mantine/core'
import { CircleX } from 'lucide-react'
import { ApiProblem } from '@/api/problem'
import classes from './components.module.css'

/** Why something was not done, which fields are to blame, and what to do next. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof ApiProblem ? error : null
  const fields = problem?.errors.filter(({ field }) => field !== '') ?? []
  return (
    <div role="alert" className={classes.error}>
      <CircleX size={16} aria-hidden="true" />
      <div className={classes.errorText}>
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
        {problem?.nextStep && <span>{problem.nextStep}</span>}
      </div>
      {retry && (
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.'
}
