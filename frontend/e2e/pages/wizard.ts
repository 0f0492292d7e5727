import { sql } from '../support/world'
import type { PageCase } from '../support/pages'

const STEPS = { devices: 'Devices that match', stages: 'Limits', review: 'What will happen' }

/** The step of a wizard that begins from the first release there was. */
async function cloned(step: string): Promise<string> {
  const [release] = await sql<{ id: number }>('SELECT min(id)::int AS id FROM releases_app_release')
  return `/releases/new?clone=${release?.id ?? 0}&step=${step}`
}

export const pages: PageCase[] = Object.entries(STEPS).map(([step, heading]) => ({
  name: `wizard-${step}`,
  path: () => cloned(step),
  ready: async (page) => {
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    await page
      .getByText(/\d+ devices/)
      .first()
      .waitFor()
  },
  table: step === 'stages',
}))
