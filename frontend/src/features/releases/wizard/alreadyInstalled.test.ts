import { expect, test } from 'vitest'
import { alreadyInstalled } from './alreadyInstalled'

const exactly = (count: number) => ({ count, exact: true, margin: 0 })
const about = (count: number, margin: number) => ({ count, exact: false, margin })

test.each([
  [exactly(0), exactly(0), ''],
  [exactly(40), exactly(0), 'None of them has 1.1.0 yet.'],
  [exactly(40), exactly(12), '12 of 40 have 1.1.0 already.'],
  [exactly(40), exactly(1), '1 of 40 has 1.1.0 already.'],
  [exactly(40), exactly(40), 'All of them have 1.1.0 already.'],
  [about(80_000, 2_000), exactly(12), '12 of about 80,000 ± 2,000 have 1.1.0 already.'],
  [about(80_000, 2_000), about(80_000, 2_000), 'About 80,000 ± 2,000 of about 80,000 ± 2,000 have 1.1.0 already.'],
  [about(80_000, 2_000), about(0, 47), 'At most about 47 of about 80,000 ± 2,000 have 1.1.0 already.'],
])('of %o %o: %s', (matched, installed, said) => {
  expect(alreadyInstalled({ version: '1.1.0', matched, installed })).toBe(said)
})
