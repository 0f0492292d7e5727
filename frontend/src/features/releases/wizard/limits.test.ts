import { expect, test } from 'vitest'
import { limitMeaning } from './limits'

test('limits are said in words', () => {
  expect(limitMeaning('failure_rate', 0.01, { stop_after: 8 })).toContain('more than 1 % of the devices')
  expect(limitMeaning('stop_rate', 0.5, { stop_after: 8 })).toContain('50 % fail, after 8 reports')
  expect(limitMeaning('latency_ms', '', { stop_after: '' })).toBe('Not checked.')
})
