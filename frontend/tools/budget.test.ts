import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { firstLoads, type Chunk } from './budget'

function chunk(fileName: string, imports: string[] = [], facadeModuleId: string | null = null): Chunk {
  return { fileName, code: `"${fileName}"`, imports, isEntry: fileName === 'main.js', facadeModuleId }
}

const size = (...names: string[]) => names.reduce((sum, name) => sum + gzipSync(`"${name}"`, { level: 9 }).length, 0)

test('a page needs the entry, itself and what they import, each once', () => {
  const page = '/src/features/fleet/FleetPage.tsx'
  const chunks = [
    chunk('main.js', ['shared.js']),
    chunk('shared.js', ['main.js']),
    chunk('fleet.js', ['shared.js', 'chart.js'], page),
    chunk('chart.js'),
    chunk('later.js'),
  ]
  expect(firstLoads(chunks)).toEqual([
    { page: 'shell', bytes: size('main.js', 'shared.js') },
    { page: 'fleet/Fleet', bytes: size('main.js', 'shared.js', 'fleet.js', 'chart.js') },
  ])
})
