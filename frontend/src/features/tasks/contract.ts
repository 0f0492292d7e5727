/** The declarations of a manifest, in words. */
import { percent } from '@/lib/format'
import { triggerText } from '@/lib/trigger'
import { asObject, asText, valueText, type JsonObject } from '@/lib/json'

export type Declared = { label: string; values: string[] }

const LIMITS: Record<string, (value: number) => string> = {
  time_ms: (value) => `${value} ms per run`,
  memory_mb: (value) => `${value} MiB of memory`,
  output_kb: (value) => `${value} KiB of output`,
  failure_rate: (value) => `may fail on ${percent(value, 3)} of devices`,
}

export function declared(manifest: JsonObject): Declared[] {
  const found: Declared[] = [
    { label: 'Entry point', values: [asText(manifest.entry_point)].filter(Boolean) },
    { label: 'Runs', values: trigger(asObject(manifest.trigger)) },
    { label: 'Sees', values: window(asObject(manifest.trigger), asObject(manifest.stream)) },
    { label: 'Inputs', values: Object.entries(asObject(manifest.inputs)).map(([name, field]) => typed(name, field)) },
    { label: 'Outputs', values: Object.entries(asObject(manifest.outputs)).map(([name, field]) => typed(name, field)) },
    {
      label: 'Metrics',
      values: Object.entries(asObject(manifest.metrics)).map(([name, field]) => metric(name, field)),
    },
    { label: 'Limits', values: Object.entries(asObject(manifest.limits)).map(([name, value]) => limit(name, value)) },
    { label: 'VM', values: vm(asObject(manifest.vm)) },
    { label: 'Requires', values: requirements(asObject(manifest.requires)) },
  ]
  return found.filter(({ values }) => values.length > 0)
}

function trigger({ every_s: every, on, background, within }: JsonObject): string[] {
  if (typeof every === 'number') return [`every ${every} s${background === true ? ', in the background' : ''}`]
  if (!Array.isArray(on)) return []
  const { events, seconds } = asObject(within)
  const gap =
    typeof events === 'number' ? ` within ${events} events` : typeof seconds === 'number' ? ` within ${seconds} s` : ''
  return [triggerText(on.map(text)) + gap]
}

/** The events that a run of a stream task is given; nothing for other tasks. */
function window({ on }: JsonObject, { window, private: sees }: JsonObject): string[] {
  if (!Array.isArray(on)) return []
  const { events, seconds } = asObject(window)
  const given =
    typeof events === 'number'
      ? `the last ${events} events`
      : typeof seconds === 'number'
        ? `the events of the last ${seconds} s`
        : 'the events of the page visit'
  return [given, ...(sees === true ? ['private contents: nothing of its output leaves the device'] : [])]
}

/** "image: tensor float32 [8, 8]", "label: integer 0 to 9" */
function typed(name: string, field: unknown): string {
  const { type, dtype, shape, min, max } = asObject(field)
  const bounds =
    min !== undefined && max !== undefined
      ? `${text(min)} to ${text(max)}`
      : min !== undefined
        ? `from ${text(min)}`
        : max !== undefined
          ? `up to ${text(max)}`
          : ''
  const axes = Array.isArray(shape) ? `[${shape.map((axis) => (axis === -1 ? 'any' : text(axis))).join(', ')}]` : ''
  return `${name}: ${[text(type), text(dtype), axes, bounds].filter(Boolean).join(' ')}`
}

function metric(name: string, field: unknown): string {
  const unit = asText(asObject(field).unit)
  return unit ? `${name} (${unit})` : name
}

function limit(name: string, value: unknown): string {
  const format = LIMITS[name]
  return format && typeof value === 'number' ? format(value) : `${name} ${text(value)}`
}

/** Nothing for a task whose every run is a new process. */
function vm({ keep, idle_s: idle, held_mb: held }: JsonObject): string[] {
  return keep === true ? [`kept for ${text(idle)} s without a run`, `holds ${text(held)} MiB between runs`] : []
}

/** "app >=1.0.0", "module numpy", "android >=10" */
function requirements({ modules, os, ...ranges }: JsonObject): string[] {
  return [
    ...Object.entries({ ...ranges, ...asObject(os) }).map(([name, range]) => `${name} ${text(range)}`),
    ...(Array.isArray(modules) ? modules.map((module) => `module ${text(module)}`) : []),
  ]
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : valueText(value)
}
