/** What is looked at of placements: the pages' addresses. */
import { text } from '@/lib/search'

export type PlacementsSearch = { scenario?: string | undefined }
/** `placement` is the number of the one that is shown, the newest by default; `plan` is the plan of it (planned.ts). */
export type WorkflowSearch = { placement?: string | undefined; plan?: string | undefined }

export function readPlacementsSearch(search: Record<string, unknown>): PlacementsSearch {
  return { scenario: text(search, 'scenario') }
}

export function readWorkflowSearch(search: Record<string, unknown>): WorkflowSearch {
  return { placement: text(search, 'placement'), plan: text(search, 'plan') }
}
