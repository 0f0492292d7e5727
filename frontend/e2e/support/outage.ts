/** The world's processes, ended and kept away for a while. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { world } from './world'

/** A word of their command lines, and how they end. */
const ENDED = {
  'web server': { word: 'uvicorn', signal: 'SIGKILL' },
  PostgreSQL: { word: 'bin/postgres', signal: 'SIGINT' },
} as const

/** Does the work while the process is away; afterwards it is started again. */
export async function without(name: keyof typeof ENDED, work: () => Promise<void>): Promise<void> {
  const { word, signal } = ENDED[name]
  await writeFile(world.held, '')
  try {
    process.kill(await child(word), signal)
    await work()
  } finally {
    await rm(world.held)
  }
}

async function child(word: string): Promise<number> {
  const all = await readFile(`/proc/${world.keeper}/task/${world.keeper}/children`, 'utf8')
  for (const pid of all.trim().split(' ')) {
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(word)) return Number(pid)
  }
  throw new Error(`No process of ${world.keeper} is ${word}`)
}
