/** A pipeline that callers of the app are answered by. */
import { join } from 'node:path'
import { api, HANG_MS, until, walle, world } from './world'

export const PIPELINE = { task: 'comments/mood', version: '1.0.0', path: '/serving/comments/mood' }
const FOLDER = join(new URL('../../../', import.meta.url).pathname, 'examples/reviews/task')
const EVERY_CALLER = '{"fact": "kind-pipeline", "equals": true}'

type Released = { results: { id: number; state: string }[] }

/** Registers and releases the example, unless an earlier journey has; returns the number of its release. */
export async function releasedPipeline(): Promise<number> {
  const { task, version } = PIPELINE
  const known = await released()
  if (known) return known
  await walle('version', 'upload', FOLDER, task, version)
  await walle(
    ...['release', 'create', task, version, '--app', world.app, '--rule', EVERY_CALLER, '--at-once', '--start'],
  )
  return until('a complete release of the pipeline', released)
}

async function released(): Promise<number | undefined> {
  const { results } = await api<Released>('GET', `releases?task=${PIPELINE.task}&state=complete`)
  return results[0]?.id
}

/** The first answer takes new processes that load compiled kernels: for seconds with a core, for minutes without one. */
export const FIRST_ANSWER_MS = 4 * HANG_MS

/** Asks for one caller until the pipeline answers, which at first loads it. */
export async function prediction(caller: string, text: string): Promise<{ version: string }> {
  const ask = async () => {
    const response = await fetch(`${world.url}/predict/v1/${world.app}/${PIPELINE.task}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ record: { text }, caller }),
    })
    return response.ok && ((await response.json()) as { version: string })
  }
  return until(`an answer of ${PIPELINE.task}`, ask, FIRST_ANSWER_MS)
}
