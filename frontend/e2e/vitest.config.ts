import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** By their numbers, always: what one journey leaves there, the next finds. */
class ByNumber extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const numeric = new Intl.Collator('en', { numeric: true })
    return Promise.resolve([...files].sort((one, other) => numeric.compare(one.moduleId, other.moduleId)))
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['journeys/*.test.ts'],
    // They share one server, one fleet and two cores; what one of them changes, another would see.
    fileParallelism: false,
    // One process for all, which keeps the browser: what its contexts have loaded and compiled, the next file need not.
    isolate: false,
    setupFiles: ['support/setup.ts'],
    sequence: { sequencer: ByNumber },
    // What waits has bounds of its own (HANG_MS); on a machine that is busy with two other suites, the longest took 180 s.
    testTimeout: 360_000,
    hookTimeout: 120_000,
    bail: 0,
  },
})
