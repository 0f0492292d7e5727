/** Devices of the journeys' own. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { manage, sql, until, world } from './world'

/** A real device with a fact of its own, which checks in once; its id, as soon as PostgreSQL has it. */
export async function enrol(fact: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'walle-journey-'))
  try {
    const root = join(folder, 'root.json')
    await writeFile(root, await (await fetch(`${world.url}/walle/v1/roots/1.json`)).text())
    const key = await manage('shell', '-v', '0', '-c', 'from walleweb.demo import secrets; print(secrets.app_key())')
    const words = ['-m', 'walle.device', '--once', '--server', world.url, '--app', world.app, '--root', root]
    words.push('--store', join(folder, 'device'), '--app-version', '2.0.0', '--os', 'android', '--fact', fact)
    const env = { ...process.env, WALLE_APP_KEY: key.trim() }
    await promisify(execFile)(process.env.WALLE_E2E_PYTHON ?? 'python', words, { env })
  } finally {
    await rm(folder, { recursive: true })
  }
  const [name = '', value = ''] = fact.split('=')
  return until('the device known', async () => {
    const found = 'SELECT device FROM devices_app_device WHERE facts->>$1 = $2'
    return (await sql<{ device: string }>(found, name, value))[0]?.device
  })
}
