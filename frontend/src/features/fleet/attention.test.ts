import { expect, test } from 'vitest'
import { byAcknowledgement, placeOf, summary } from './attention'

test.each([
  ['rolled-back', 'releases/7', { page: 'release', id: 7 }],
  ['silent', 'apps/shop', { page: 'devices', app: 'shop' }],
  ['table-old', 'apps/shop', { page: 'admin', path: '/admin/devices_app/publishedtable/?q=shop' }],
  ['webhook-off', 'webhooks/3', { page: 'admin', path: '/admin/webhooks_app/webhook/3/change/' }],
  ['features-unread', '', { page: 'features' }],
  ['plan-isolated', 'pipelines/shop/mood', { page: 'pipeline', name: 'shop/mood' }],
  ['version-refused', 'pipelines/shop/mood', { page: 'pipeline', name: 'shop/mood' }],
  ['host-lost', '', { page: 'serving' }],
  ['no-worker', '', { page: 'admin', path: '/admin/jobs_app/job/' }],
])('%s leads somewhere', (kind, target, place) => {
  expect(placeOf({ kind, target })).toEqual(place)
})

test('how many there are of each urgency, the most urgent first', () => {
  expect(summary([{ urgency: 'later' }, { urgency: 'now' }, { urgency: 'now' }])).toBe('2 now, 1 later')
  expect(summary([])).toBe('')
  expect(summary(Array.from({ length: 50 }, () => ({ urgency: 'now' })))).toBe('the first 50: 50 now')
})

test('what somebody knows of is told from what nobody does', () => {
  const known = { acknowledged: { by: 'rita', note: 'seen', at: '2026-05-01T00:00:00Z' } }
  const open = { acknowledged: null }
  expect(byAcknowledgement([open, known])).toEqual({ open: [open], acknowledged: [known] })
})
