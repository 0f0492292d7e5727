/** An example of the API's release, for tests. */
import type { ReleaseDetail } from '@/api/schemas'

type Transition = ReleaseDetail['transitions'][number]

export function someRelease(changes: Partial<ReleaseDetail> = {}): ReleaseDetail {
  return {
    id: 7,
    app: 'market',
    task: 'camera/digits',
    version: '1.1.0',
    kind: 'device',
    created_at: '2026-05-01T10:00:00Z',
    created_by: 'ada',
    state: 'running',
    position: 1,
    rule: {},
    strategy: {
      simulation: true,
      approval: false,
      stages: [
        { kind: 'beta', dwell_s: 60, evidence: 3 },
        { kind: 'gray', dwell_s: 300, evidence: 20, pace: 6 },
        { kind: 'gray', dwell_s: 300, evidence: 0 },
      ],
    },
    stages: [
      { id: 1, position: 0, kind: 'beta', share: 0, id_list: 'testers', entered_at: AT, left_at: AT },
      { id: 2, position: 1, kind: 'gray', share: 200_000, id_list: '', entered_at: AT, left_at: null },
      { id: 3, position: 2, kind: 'gray', share: 1_000_000, id_list: '', entered_at: null, left_at: null },
    ],
    transitions: [someMove('draft', 'simulating'), someMove('simulating', 'running'), someMove('running', 'running')],
    verdicts: [],
    having: { devices: 10, counted_at: null },
    withdrawal: null,
    completion_watch: null,
    allowed: { deliver: true, complete_early: true },
    figures: { treatment: { reported: 12, failed: 2, in_stage: 8 } },
    ...changes,
  }
}

export const AT = '2026-05-01T10:01:00Z'

export function someMove(before: Transition['before'], after: Transition['after'], at = AT): Transition {
  const where = { position_before: null, position_after: null }
  return { action: 'promote', actor: 'system', before, after, at, reason: '', evidence: {}, ...where }
}
