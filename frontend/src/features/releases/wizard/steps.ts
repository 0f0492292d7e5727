/** The steps of the wizard, in their order; they are in the page's address. */
import { audienceWords } from '@/lib/audience'

export const STEPS = ['version', 'devices', 'stages', 'review'] as const
export type Step = (typeof STEPS)[number]

const STEP_TITLES: Record<Step, string> = {
  version: 'Version',
  devices: 'Devices',
  stages: 'Stages and limits',
  review: 'Review',
}

/** Returns the title of a step for a kind of tasks. */
export function stepTitle(step: Step, kind: string | undefined): string {
  return step === 'devices' ? audienceWords(kind).Many : STEP_TITLES[step]
}

export function stepAfter(step: Step): Step | null {
  return STEPS[STEPS.indexOf(step) + 1] ?? null
}

export function stepBefore(step: Step): Step | null {
  return STEPS[STEPS.indexOf(step) - 1] ?? null
}
