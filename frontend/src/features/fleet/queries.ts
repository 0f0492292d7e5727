/** What the fleet's page reads first. */
import { reading } from '@/api/reading'
import { MINUTES, type Span } from './spans'

export function fleetQuery(app: string | undefined) {
  return reading('/api/v1/fleet', { query: app === undefined ? {} : { app } })
}

/** Asks for the activity of the steps that have ended. */
export function activityQuery(app: string | undefined, span: Span) {
  return reading('/api/v1/fleet/pulse', { query: { minutes: MINUTES[span], ...(app === undefined ? {} : { app }) } })
}
