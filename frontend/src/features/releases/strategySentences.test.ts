import { expect, test } from 'vitest'
import { someRelease } from './exampleRelease'
import { strategySentences } from './strategySentences'

const FULL = {
  ...someRelease().strategy,
  approval: true,
  control_percent: 5,
  limits: { failure_rate: 0.0125, stop_rate: 0.4, stop_after: 10, latency_ms: 250, latency_quantile: 0.9 },
  metric: 'confidence',
  grace_s: 3600,
  silence_s: 900,
  defer_s: 86_400,
  window: { zone: 'Asia/Shanghai', from: '01:00', to: '05:00', days: [0, 4] },
  after_complete: { failure_rate: null, period_s: 86_400, evidence: 50, action: 'roll-back' },
}

test('all of a strategy is said, in the order in which it happens', () => {
  expect(strategySentences(someRelease({ strategy: FULL }))).toEqual([
    'It is simulated first, on every app version and system.',
    'Then somebody other than its creator has to approve it.',
    'Beta testers: at least 1 min and until 3 of its devices have reported.',
    'Gray 20 %: at least 5 min and until 20 of its devices have reported, with at most 6 offers a second.',
    'Gray 100 %: at least 5 min.',
    'Offers are made from 01:00 to 05:00, by the clock of Asia/Shanghai on Monday, Friday.',
    '5 % of the devices are held back as control until the last stage.',
    'It is rolled back if more than 1.25 % fail, at once if 40 % of at least 10 do.',
    'At most 10 % of the devices may take longer than 250 ms.',
    'The metric confidence is watched for drift.',
    'It pauses if too few have reported 1 h after a stage’s soak time.',
    'A device is silent after 15 min without a check-in.',
    'Apps may put it off for 1 d.',
    'Once complete, it is rolled back if more than 2.5 % of the devices fail within 1 d.',
  ])
})

test('what a strategy does without is said where people would count on it', () => {
  const bare = { simulation: false, stages: [{ dwell_s: 0, evidence: 0 }], defer_s: 0, after_complete: null }
  const said = strategySentences(someRelease({ strategy: bare, kind: 'pipeline' }))
  expect(said).toContain('It is not simulated.')
  expect(said).toContain('Beta testers: without waiting.')
  expect(said).toContain('No caller is held back as control.')
  expect(said).toContain('Once complete, it is not watched.')
  expect(said.join(' ')).not.toMatch(/silent|put it off|metric|approve/)
})
