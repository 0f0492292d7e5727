/** The steps of the wizard, in their order; they are in the page's address. */
export const STEPS = ['version', 'devices', 'stages', 'review'] as const
export type Step = (typeof STEPS)[number]

export const STEP_TITLES: Record<Step, string> = {
  version: 'Version',
  devices: 'Devices',
  stages: 'Stages and limits',
  review: 'Review',
}

export function stepAfter(step: Step): Step | null {
  return STEPS[STEPS.indexOf(step) + 1] ?? null
}

export function stepBefore(step: Step): Step | null {
  return STEPS[STEPS.indexOf(step) - 1] ?? null
}
