/** How long a release takes, in words. */
import type { ReleasePlan } from '@/api/schemas'
import { duration } from '@/lib/time'

type Timed = Pick<ReleasePlan, 'about_s' | 'at_least_s'>

/** Returns `about 5 h`, or what it takes at least where nothing more is known. */
export function lasts({ about_s: about, at_least_s: least }: Timed): string {
  return about === null ? `at least ${duration(least)}` : `about ${duration(about)}`
}

/** Returns the same as a sentence, which says on what the figure rests. */
export function lastsSentence(plan: Timed): string {
  if (plan.about_s === null)
    return `The release takes at least ${duration(plan.at_least_s)}; how long exactly cannot be told.`
  return `The release takes about ${duration(plan.about_s)} at the present rate of check-ins, and at least ${duration(plan.at_least_s)}.`
}
