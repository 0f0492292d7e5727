/**
 * Measures the dashboard in a real Chromium: `node e2e/measure/main.ts PLAN RESULT`, both JSON; see benchmarks/dashboard.py.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { launch } from '../support/chromium.ts'
import { measureChart } from './chart.ts'
import { measurePaint } from './paint.ts'
import { measureRows } from './rows.ts'
import { measureScroll } from './scroll.ts'
import type { Plan } from './visit.ts'

const [source = '', target = ''] = process.argv.slice(2)
const plan = JSON.parse(await readFile(source, 'utf8')) as Plan
const parts = {
  rows: measureRows,
  chart: measureChart,
  scroll: measureScroll,
  paint: measurePaint,
}
const browser = await launch(plan.chromium)
const results: Record<string, unknown> = {}
try {
  for (const part of plan.parts) results[part] = await parts[part](browser, plan)
} finally {
  await browser.close()
}
await writeFile(target, JSON.stringify(results))
