/** The kinds of keys of an app, in words. */
import type { Schemas } from '@/api/schemas'

export type KeyKind = Schemas['AppKeyKind']

export const KINDS: Record<KeyKind, string> = {
  enrol: 'App key',
  gateway: 'Gateway key',
  backend: 'Backend key',
}

export const KIND_OPTIONS = [
  { value: 'enrol', label: 'App key: goes into the app, devices enrol with it' },
  { value: 'gateway', label: 'Gateway key: a service of yours answers check-ins' },
  { value: 'backend', label: 'Backend key: your backend signs facts of users' },
]

export const NEXT_STEP: Record<KeyKind, string> = {
  enrol: 'Put it into the app as it is built. Whoever has the app can take it out again: it proves no more than that.',
  gateway: 'Give it to your service as a secret: it is worth as much as all the app’s devices.',
  backend: 'The key is registered: what your backend signs with its private half is believed.',
}

export const AFTER_REVOCATION: Record<KeyKind, string> = {
  enrol: 'Nobody enrols with it any more. Devices that did keep their credentials, but cannot renew them with it.',
  gateway: 'Services that use it hear of no new version and can hand over no report.',
  backend: 'What is signed with it is not believed any more.',
}
