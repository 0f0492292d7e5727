import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorNote } from '@/components/ErrorNote'

/** In place of a page that could not be shown. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return <ErrorNote error={error} retry={reset} />
}
