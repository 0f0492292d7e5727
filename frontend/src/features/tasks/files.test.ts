import { expect, test } from 'vitest'
import { archiveAddress, contentAddress, fileSums } from './files'

const SHARED = { kind: 'shared', size: 512, variant_count: 0 } as const
const EXCLUSIVE = { kind: 'exclusive', size: null, variant_count: 3 } as const

test('files are summed up by their kind', () => {
  expect(fileSums([SHARED, SHARED, EXCLUSIVE])).toBe('2 shared, 1.0 KiB; 1 exclusive with 3 variants')
  expect(fileSums([SHARED])).toBe('1 shared, 512 B; none exclusive')
})

test('versions and paths are written as addresses are', () => {
  expect(contentAddress({ scenario: 'camera', task: 'digits' }, '1.0.0+a', 'a b/c.py')).toBe(
    '/api/v1/tasks/camera/digits/versions/1.0.0%2Ba/files?path=a+b%2Fc.py',
  )
  expect(archiveAddress({ scenario: '../evil', task: 'digits' }, '1.0.0')).toBe(
    '/api/v1/tasks/..%2Fevil/digits/versions/1.0.0/archive',
  )
})
