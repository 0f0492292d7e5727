import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['journeys/*.test.ts'],
    // They share one server, one fleet and two cores; what one of them changes, another would see.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
    bail: 0,
  },
})
