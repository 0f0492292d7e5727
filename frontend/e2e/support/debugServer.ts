/** A second web server of the same world, in debug: it has pages for work on Walle itself. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { python, until } from './world'

let running: { process: ChildProcess; url: string } | undefined

/** Returns its address; started by whoever needs it first. */
export async function debugServer(): Promise<string> {
  if (running) return running.url
  const port = await freePort()
  const root = new URL('../../../', import.meta.url).pathname
  const server = ['-m', 'uvicorn', 'walleweb.asgi:application', '--port', String(port), '--no-access-log']
  const env = { ...process.env, WALLE_DEBUG: 'on', WALLE_PORT: String(port), WALLE_DATABASE_POOL: '4' }
  const url = `http://127.0.0.1:${port}`
  running = { process: spawn(python, server, { cwd: root, env, stdio: 'inherit' }), url }
  await until('the server in debug', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok)
  return url
}

/** Ends it, if it was started. */
export async function stopDebugServer(): Promise<void> {
  if (!running) return
  const { process: server } = running
  running = undefined
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL')
  await ended
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  return port
}
