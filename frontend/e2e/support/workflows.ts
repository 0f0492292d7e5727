/** Placement problems that are published with the repository, and workflows of them; and one whose plans are applied. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { api, inFolder, until, walle } from './world'

const ROOT = new URL('../../../', import.meta.url).pathname
const INPUTS = join(ROOT, 'benchmarks/support/placement/inputs')
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
    const document = JSON.parse((await published(file)).buffer.toString()) as Problem
    await place(workflow, document)
  }
  return `/placements/${SCENARIO}/${workflow}`
}

/** Writes the sources of the small workflow of the tests; `flawed` ones fail on all but the sample's input. */
const WRITING = `
import sys
from pathlib import Path
from tests.bundle.workflow_example import SOURCES, workflow_tree

folder, flawed = Path(sys.argv[1]), sys.argv[2] == "flawed"
cutting = SOURCES["texts/cutting.py"]
broken = cutting.replace("    yield", "    if text != 'a tiny oak tree':\\n        raise ValueError('no such tree')\\n    yield", 1)
tree = workflow_tree({"texts/cutting.py": broken if flawed else cutting})
for entry in tree.entries():
    path = folder / entry.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(tree.read(entry.path))
`

type Problem = { infrastructure: { workers: { id: string; tier: string }[] } }

/** Uploads the small workflow's sources as a version of a task; returns its problem with two workers on phones. */
export async function uploadSources(task: string, version: string, kind: 'proper' | 'flawed'): Promise<Problem> {
  return inFolder(async (folder) => {
    const python = process.env.WALLE_E2E_PYTHON ?? 'python'
    await promisify(execFile)(python, ['-c', WRITING, folder, kind], { cwd: ROOT })
    await walle('version', 'upload', folder, task, version)
    const problem = JSON.parse(await readFile(join(folder, 'problem.json'), 'utf-8')) as Problem
    const onPhones = ['phone-words', 'phone-long']
    const workers = problem.infrastructure.workers.filter(({ id, tier }) => tier !== 'phone' || onPhones.includes(id))
    return { ...problem, infrastructure: { ...problem.infrastructure, workers } }
  })
}

/** Uploads a problem as a workflow of camera and has it placed; the placement's number. */
export async function place(workflow: string, document: Problem): Promise<number> {
  await api('PUT', `workflows/${SCENARIO}/${workflow}`, { document })
  await api('POST', `workflows/${SCENARIO}/${workflow}/placements`, { budget_s: 2 })
  const ended = await until('a placement', async () => {
    const newest = await newestPlacement(workflow)
    return newest?.state === 'succeeded' && newest
  })
  return ended.id
}
