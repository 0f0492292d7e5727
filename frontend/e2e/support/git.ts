/** Clones of scenarios, as their developers have them: what is true of versions and their files. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { world } from './world'

const MOST_BYTES = 64 << 20
const run = promisify(execFile)

export type Clone = Awaited<ReturnType<typeof clone>>

/** Clones a scenario to a new folder below this one. */
export async function clone(scenario: string, above: string) {
  const place = await mkdtemp(join(above, `${scenario}-`))
  const credentials = Buffer.from(`token:${world.token}`).toString('base64')
  const secret = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
  }
  const git = async (...words: string[]): Promise<Buffer> => {
    const env = { ...process.env, ...secret }
    return (await run('git', words, { cwd: place, env, encoding: 'buffer', maxBuffer: MOST_BYTES })).stdout
  }
  await git('clone', '-q', `${world.url}/git/${scenario}.git`, '.')
  return {
    /** What git prints. */
    text: async (...words: string[]) => (await git(...words)).toString(),
    /** A file of a tag. */
    file: (tag: string, path: string) => git('show', `${tag}:${path}`),
    /** Paths and sizes of a tag's files. */
    files: async (tag: string) => {
      const listed = (await git('ls-tree', '-r', '--long', tag)).toString().trimEnd().split('\n')
      return listed.map((line) => {
        const [facts = '', path = ''] = line.split('\t')
        return { path, size: Number(facts.split(/\s+/)[3]) }
      })
    },
  }
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
