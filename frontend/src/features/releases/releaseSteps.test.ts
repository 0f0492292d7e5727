import { expect, test } from 'vitest'
import { lateText, stepsOf, nextStep, stateTitle } from './releaseSteps'
import { AT, someMove, someRelease } from './exampleRelease'

const progress = (release: ReturnType<typeof someRelease>) =>
  stepsOf(release).map(({ label, progress: how }) => `${label}: ${how}`)

test('a running release has done what lies behind it', () => {
  expect(progress(someRelease())).toEqual([
    'Draft: done',
    'Simulation: done',
    'Beta testers: done',
    'Gray 20 %: now',
    'Gray 100 %: ahead',
    'Complete: ahead',
  ])
  expect(stateTitle(someRelease())).toBe('Running, Gray 20 %')
})

test('failures that came later stand at the stage of their devices', () => {
  const figures = { stages: [{ position: 0, drawn: 5, failed: 3, failed_late: 2 }] }
  expect(stepsOf(someRelease({ figures })).map(({ late }) => late)).toEqual([0, 0, 2, 0, 0, 0])
  expect(lateText(2)).toBe('2 failed later')
})

test('one that is paused or ended stands where it was', () => {
  const paused = someRelease({
    state: 'paused',
    position: null,
    transitions: [someMove('draft', 'simulating'), someMove('simulating', 'paused')],
  })
  expect(progress(paused).slice(0, 3)).toEqual(['Draft: done', 'Simulation: held', 'Beta testers: ahead'])
  const complete = [someMove('running', 'complete'), someMove('complete', 'rolled-back')]
  const back = someRelease({ state: 'rolled-back', position: 2, transitions: complete })
  expect(progress(back).slice(-2)).toEqual(['Gray 100 %: skipped', 'Complete: ended'])
})

test('what has ended does not go on, and what was passed over was skipped', () => {
  const rejected = someRelease({
    state: 'rejected',
    position: null,
    transitions: [someMove('draft', 'simulating'), someMove('simulating', 'rejected')],
  })
  expect(progress(rejected).slice(1)).toEqual([
    'Simulation: ended',
    'Beta testers: unreached',
    'Gray 20 %: unreached',
    'Gray 100 %: unreached',
    'Complete: unreached',
  ])
  const whole = [someMove('running', 'complete'), someMove('complete', 'superseded')]
  const superseded = someRelease({ state: 'superseded', position: 2, transitions: whole })
  expect(progress(superseded).slice(-2)).toEqual(['Gray 100 %: skipped', 'Complete: done'])
})

test('each step tells since when it is so', () => {
  const later = '2026-05-01T10:30:00Z'
  const paused = someRelease({
    state: 'paused',
    transitions: [someMove('draft', 'simulating'), someMove('running', 'paused', later)],
  })
  expect(stepsOf(paused).map(({ at }) => at)).toEqual([AT, AT, AT, later, null, null])
})

test('where all devices are new, it is said what to do', () => {
  const figures = { treatment: { drawn: 9, in_stage: 0 }, new: { drawn: 9, in_stage: 4 } }
  const now = Date.parse(AT) + 400_000
  expect(nextStep(someRelease({ figures }), now)).toBe(
    'The next stage starts after reports of 20 more devices (0 of 20). All devices selected so far are new and nobody ' +
      'vouches for them, so their reports do not count. Promote the release manually, which takes the right to complete ' +
      "early, or have the app's backend vouch for devices.",
  )
  const some = { treatment: { drawn: 9, in_stage: 0 }, new: { drawn: 8, in_stage: 4 } }
  expect(nextStep(someRelease({ figures: some }), now)).not.toContain('nobody vouches')
})

test('an approval that the scenario demands is on the way, too', () => {
  const release = someRelease({
    state: 'awaiting-approval',
    position: null,
    transitions: [someMove('simulating', 'awaiting-approval')],
  })
  expect(progress(release)).toContain('Approval: now')
  expect(nextStep(release, 0)).toContain('other than ada')
})

test('a stage says what it waits for, pauses left out', () => {
  const now = Date.parse(AT) + 100_000
  expect(nextStep(someRelease(), now)).toBe(
    'The next stage starts after 3 min 20 s and reports of 12 more devices (8 of 20).',
  )
  const resumed = someRelease({
    transitions: [
      someMove('running', 'paused', '2026-05-01T10:01:30Z'),
      someMove('paused', 'running', '2026-05-01T10:02:30Z'),
    ],
  })
  expect(nextStep(resumed, now)).toContain('after 4 min 20 s')
  const last = someRelease({ position: 2 })
  const entered = last.stages.map((stage) => ({ ...stage, entered_at: AT }))
  expect(nextStep({ ...last, stages: entered }, now + 400_000)).toBe(
    'The release completes as soon as all checks pass.',
  )
})
