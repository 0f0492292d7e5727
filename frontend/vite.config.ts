import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { budget } from './tools/budget.ts'
import { compressed } from './tools/compressed.ts'

const SERVER = process.env.WALLE_URL ?? 'http://127.0.0.1:8000'
const SERVED_BY_DJANGO = ['/api', '/admin', '/static', '/live', '/git', '/walle']

/**
 * What every page needs is one chunk, and what three or more share another. By itself Rolldown makes one for each set of
 * pages, so that a first page asks for thirty. No chunk imports one of fewer pages, so that none waits for itself.
 * Tables are apart: the wizard, the largest page, has none.
 */
const CHUNKS = [
  { name: 'main', tags: ['$initial' as const], priority: 1 },
  {
    name: 'table',
    test: /components\/(DataTable|DownloadButton|TableTools|ViewsMenu|dataTable\.)|hooks\/useRows|@tanstack\/(react-)?virtual/,
    minShareCount: 3,
    priority: 1,
    includeDependenciesRecursively: false,
  },
  { name: 'common', minShareCount: 3 },
]

export default defineConfig(({ command }) => ({
  base: command === 'build' ? '/static/dashboard/' : '/',
  // Django writes a fresh one into every answer (walleweb/dashboard).
  html: { cspNonce: command === 'build' ? '{{ nonce }}' : undefined },
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  plugins: [react(), compressed(), budget({ firstLoadKiB: 250 })],
  build: {
    target: 'es2023',
    // Inlined fonts and images would be data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What is too much is said by the budget.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
  server: {
    proxy: Object.fromEntries(SERVED_BY_DJANGO.map((path) => [path, { target: SERVER, ws: path === '/live' }])),
  },
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'tools/**/*.test.ts'],
    environment: 'node',
    // Files share modules: loading these again for each costs four times what the tests do.
    isolate: false,
  },
}))
