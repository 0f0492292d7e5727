/** How the models of a version run: what a class of devices chooses, and what ran them by reports. */
import { percent, share } from '@/lib/format'
import type { VersionDetail } from './queries'
import { runTime, type ClassRuns } from './runs'

export type ModelPlan = VersionDetail['models'][number]
export type ModelClass = ModelPlan['classes'][number]

/** Our own kernels, which every device has: no device goes on to a backend behind them. */
const OWN = 'walle'

export type BackendChoice = { backend: string; where: string; times: string }

/** Returns the backends of a class of devices in the order in which a device looks for them. */
export function choicesOf({ backends }: ModelClass): BackendChoice[] {
  const end = backends.findIndex(({ backend }) => backend === OWN)
  return backends.slice(0, end < 0 ? backends.length : end + 1).map((each) => ({
    backend: each.backend,
    where: each.backend === OWN ? 'on every device' : `where the app has ${each.needs}`,
    times: `${runTime(each.run_ms)} a run, ${runTime(each.start_ms)} to start`,
  }))
}

/** Returns why backends cannot run a model: "mnn: node x: ...". */
export function refusalsOf({ classes: [first] }: ModelPlan): string[] {
  const refused = (first?.refused ?? {}) as Record<string, string[]>
  return Object.entries(refused).map(([backend, reasons]) => `${backend}: ${reasons.join('; ')}`)
}

/** What ran models, with the share of runs: "mnn 75 %, walle 25 %"; empty where no run used one. */
export function backendsText({ model_backends: found, runs }: Pick<ClassRuns, 'model_backends' | 'runs'>): string {
  return found.map((each) => `${each.backend} ${percent(share(each.runs, runs), 0)}`).join(', ')
}
