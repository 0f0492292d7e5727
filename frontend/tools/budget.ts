import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** What the budget looks at of a built chunk. */
export type Chunk = {
  fileName: string
  code: string
  imports: string[]
  isEntry: boolean
  facadeModuleId: string | null
}
type Load = { page: string; bytes: number }

/** Fails the build where a page's first load would be more JavaScript than this; prints and keeps what each page needs. */
export function budget({ firstLoadKiB }: { firstLoadKiB: number }): Plugin {
  return {
    name: 'walle:budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const loads = firstLoads(chunks)
      const said = loads.map(({ page, bytes }) => `${page} ${kib(bytes)}`).join(', ')
      console.log(`  JavaScript of a first load, gzipped, of ${firstLoadKiB} KiB at most: ${said}`)
      this.emitFile({ type: 'asset', fileName: 'first-loads.json', source: JSON.stringify(loads) })
      const over = loads.filter(({ bytes }) => bytes > firstLoadKiB * 1024)
      if (over.length > 0) {
        const list = over.map(({ page, bytes }) => `${page} (${kib(bytes)})`).join(', ')
        this.error(`More than ${firstLoadKiB} KiB of gzipped JavaScript before a page can be used: ${list}`)
      }
    },
  }
}

/** What must be loaded before each page works: the entry, the page, and all that they import statically. */
export function firstLoads(chunks: Chunk[]): Load[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const sizes = new Map(chunks.map((chunk) => [chunk.fileName, gzipSync(chunk.code, { level: 9 }).length]))
  const needed = (names: string[], found = new Set<string>()): Set<string> => {
    for (const name of names) {
      const chunk = byName.get(name)
      if (!chunk || found.has(name)) continue
      found.add(name)
      needed(chunk.imports, found)
    }
    return found
  }
  const total = (names: string[]) => [...needed(names)].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
  const entries = chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName)
  const pages = chunks.filter((chunk) => /\/features\/.*Page\.tsx$/.test(chunk.facadeModuleId ?? ''))
  const shell = { page: 'shell', bytes: total(entries) }
  const each = pages.map((chunk) => ({
    page: (chunk.facadeModuleId ?? '').replace(/^.*\/features\/(.*)Page\.tsx$/, '$1'),
    bytes: total([...entries, chunk.fileName]),
  }))
  return [shell, ...each.sort((a, b) => b.bytes - a.bytes)]
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}
