/** Placement problems that are published with the repository, and workflows of them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { api, until } from './world'

const INPUTS = join(new URL('../../../', import.meta.url).pathname, 'benchmarks/support/placement/inputs')
const SCENARIO = 'camera'

type Placement = { id: number; state: string }

/** The document of a published problem, as a file that is chosen in a page. */
export async function published(name: string) {
  return { name, mimeType: 'application/json', buffer: await readFile(join(INPUTS, name)) }
}

/** The newest placement of a workflow of camera. */
export async function newestPlacement(workflow: string): Promise<Placement | undefined> {
  const path = `placements?scenario=${SCENARIO}&workflow=${workflow}&limit=1`
  return (await api<{ results: Placement[] }>('GET', path)).results[0]
}

/** Has a published problem placed, unless an earlier journey has; returns the address of its page. */
export async function placedWorkflow(workflow: string, file: string): Promise<string> {
  if ((await newestPlacement(workflow))?.state !== 'succeeded') {
    const document = JSON.parse((await published(file)).buffer.toString()) as unknown
    await api('PUT', `workflows/${SCENARIO}/${workflow}`, { document })
    await api('POST', `workflows/${SCENARIO}/${workflow}/placements`, { budget_s: 5 })
    await until('a placement', async () => (await newestPlacement(workflow))?.state === 'succeeded')
  }
  return `/placements/${SCENARIO}/${workflow}`
}
