/** The simulation's cells as a table: app versions down, systems across. */
import type { Schemas } from '@/api/schemas'
import type { Tone } from '@/lib/tone'

export type Cell = Schemas['SimulationCell']
type Matrix = { systems: string[]; rows: { appVersion: string; cells: (Cell | undefined)[] }[] }

export const CELL_STATES: Record<Cell['state'], { word: string; tone: Tone }> = {
  pending: { word: 'Pending', tone: 'running' },
  passed: { word: 'Passed', tone: 'ok' },
  failed: { word: 'Failed', tone: 'bad' },
  excluded: { word: 'Excluded', tone: 'none' },
  error: { word: 'Error', tone: 'attention' },
}

/** Arranges cells in their order; a simulation that could not start has no system. */
export function matrixOf(cells: readonly Cell[]): Matrix {
  const systems = [...new Set(cells.map(systemOf))]
  const versions = [...new Set(cells.map(({ app_version }) => app_version))]
  return {
    systems,
    rows: versions.map((appVersion) => ({
      appVersion,
      cells: systems.map((system) =>
        cells.find((cell) => cell.app_version === appVersion && systemOf(cell) === system),
      ),
    })),
  }
}

function systemOf({ os, os_version }: Pick<Cell, 'os' | 'os_version'>): string {
  return `${os} ${os_version}`.trim() || 'not started'
}

export function nameOf(cell: Cell): string {
  return `app ${cell.app_version || 'unknown'} on ${systemOf(cell)}`
}
