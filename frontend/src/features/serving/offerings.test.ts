import { expect, test } from 'vitest'
import { offeringWords, type Offering } from './offerings'

const offering = { app: 'market', version: '1.1.0', share_percent: 20, mode: 'offered' } as Offering

test('which version answers which callers', () => {
  expect(offeringWords(offering)).toBe('1.1.0 for 20 % in market')
  expect(offeringWords({ ...offering, share_percent: 100, mode: 'complete' })).toBe('1.1.0 for all in market')
  expect(offeringWords({ ...offering, share_percent: 0.12345, mode: 'held' })).toBe(
    '1.1.0 for 0.123 % in market, on hold',
  )
})
