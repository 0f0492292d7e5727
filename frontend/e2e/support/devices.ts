/** Devices of the journeys' own. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inFolder, manage, sql, until, world } from './world'

/** A real device with a fact of its own, which checks in once; its id, as soon as PostgreSQL has it. */
export async function enrol(fact: string): Promise<string> {
  await inFolder(async (folder) => {
    const root = join(folder, 'root.json')
    await writeFile(root, await (await fetch(`${world.url}/walle/v1/roots/1.json`)).text())
    const words = ['-m', 'walle.device', '--once', '--server', world.url, '--app', world.app, '--root', root]
    words.push('--store', join(folder, 'device'), '--app-version', '2.0.0', '--os', 'android', '--fact', fact)
    const env = { ...process.env, WALLE_APP_KEY: world.appKey }
    await promisify(execFile)(process.env.WALLE_E2E_PYTHON ?? 'python', words, { env })
  })
  const [name = '', value = ''] = fact.split('=')
  return until('the device known', async () => {
    const found = 'SELECT device FROM devices_app_device WHERE facts->>$1 = $2'
    return (await sql<{ device: string }>(found, name, value))[0]?.device
  })
}

/** Stores a device's report about 41 runs of a stream task, with the last output, as a gateway would. */
export async function reportRuns(device: string, task: string, version: string, output: object): Promise<void> {
  const code = `
import json, time, uuid
from devices_app.services.intake import store_reports
from walle.gateway.ports import ReceivedReport
from walle.protocol.reports import Report

now = time.time()
runs = dict(since=now - 300, until=now, count=41, failed=3, shed=2, events=779, cold=1)
runs |= dict(p50_ms=1.25, p90_ms=2.0, p99_ms=31.5, max_ms=40.0, cpu_ms=61.75)
runs["failures"] = [dict(error_class="exception:KeyError", count=3, message="'item'")]
said = dict(id=str(uuid.uuid4()), task="${task}", version="${version}", manifest="0" * 64, kind="run", at=now)
said |= dict(outcome="success", start="warm", duration_ms=1.25, runs=runs, output=json.loads('''${JSON.stringify(output)}'''))
store_reports([ReceivedReport("${world.app}", "${device}", Report.from_dict(said), None, now)])
`
  await manage('shell', '-v', '0', '-c', code)
}

/** Stores features of a device as a gateway would; each says how many seconds ago it came, and its values. */
export async function sendFeatures(
  device: string,
  task: string,
  features: readonly { ago: number; values: object }[],
): Promise<void> {
  const code = `
import json, time
from devices_app.models import Feature
from devices_app.services.features import store_features
from walle.gateway.ports import ReceivedFeature

now, spool = time.time(), b"journey!"
known = Feature.objects.filter(device="${device}").count()
def received(number, ago, values):
    written = json.dumps(values).encode()
    times = dict(at=now - ago - 0.1, tracked_at=now - ago - 0.12, received_at=now - ago)
    sizes = dict(values=written, raw_bytes=len(written), wire_bytes=len(written) // 3 + 12)
    named = dict(app="${world.app}", device="${device}", spool=spool, sequence=number, task="${task}", version="1.0.0")
    return ReceivedFeature(**named, manifest="0" * 24, **times, **sizes, answer_by=None)
told = json.loads('''${JSON.stringify(features)}''')
store_features([received(known + 1 + place, each["ago"], each["values"]) for place, each in enumerate(told)])
`
  await manage('shell', '-v', '0', '-c', code)
}
