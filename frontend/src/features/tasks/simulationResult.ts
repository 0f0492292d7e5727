import type { Answer } from '@/api/reading'
import type { Tone } from '@/lib/tone'

export type Simulation = Answer<'/api/v1/releases/{release}/simulation'>
type Simulated = { tone: Tone; word: string; sentence: string }

const WORDS: Record<'pending' | 'pass' | 'fail' | 'error', [Tone, string]> = {
  pending: ['running', 'simulating'],
  pass: ['ok', 'passed'],
  fail: ['bad', 'failed'],
  error: ['attention', 'incomplete'],
}

/** Describes the result of a simulation, in a word and a sentence. */
export function simulated({ kind, cells, sentence }: Simulation): Simulated {
  if (!kind) return { tone: 'none', word: 'not simulated', sentence: '' }
  const [tone, word] = WORDS[kind]
  const ran = cells.filter(({ state }) => state !== 'excluded')
  const passed = ran.filter(({ state }) => state === 'passed').length
  return { tone, word, sentence: sentence || `${passed} of ${ran.length} cells passed.` }
}
