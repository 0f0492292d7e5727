import { expect, test } from 'vitest'
import { othersOf, systemsOf, versionsOf } from './coverage'

const counts = { known: 10, online: 7, with_tasks: 5 }
const devices = {
  ...counts,
  counted_at: null,
  app_versions: [
    { app: 'shop', app_version: '2.0.0', ...counts },
    { app: 'shop', app_version: '', ...counts },
  ],
  systems: [{ os: 'android', os_version: '14', ...counts }],
}

test('versions of one app are named without it, and lead to their devices', () => {
  const [newest, none] = versionsOf(devices.app_versions)
  expect(newest).toMatchObject({ ...counts, name: '2.0.0', app: 'shop', where: ['app_version=2.0.0'] })
  expect(none).toMatchObject({ name: 'unknown version', where: null })
})

test('versions of several apps are named with them', () => {
  const app_versions = [...devices.app_versions, { app: 'bank', app_version: '2.0.0', ...counts }]
  expect(versionsOf(app_versions).map(({ name }) => name)).toEqual(['shop 2.0.0', 'shop unknown version', 'bank 2.0.0'])
})

test('systems are those of all apps, or of the one that is looked at', () => {
  expect(systemsOf(devices.systems, 'shop')).toMatchObject([
    { name: 'android 14', app: 'shop', where: ['os=android', 'os_version=14'] },
  ])
  expect(systemsOf([{ os: '', os_version: '', ...counts }], undefined)).toMatchObject([
    { name: 'unknown system', app: undefined, where: null },
  ])
})

test('devices of kinds that are not listed are the rest', () => {
  const all = { known: 100, online: 60, with_tasks: 30 }
  expect(othersOf(all, [counts, counts])).toEqual({ known: 80, online: 46, with_tasks: 20 })
})
