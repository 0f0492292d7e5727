import { Button, Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import { audienceWords, EVERY_CALLER, hasCallers } from '@/lib/audience'
import { conditionOn } from '../conditions'
import { devices, group, list, not, readRule, type Part } from '../rule'
import type { Audience } from './useAudience'

/** Adds a condition, a list, devices or a group. */
export function AddMenu({ audience, onAdd }: { audience: Audience; onAdd: (part: Part) => void }) {
  const [first] = audience.facts
  const everyCaller: [string, () => Part] = ['Every caller', () => readRule(EVERY_CALLER, audience.operators)]
  const items: [string, () => Part][] = [
    ...(hasCallers(audience.kind) ? [everyCaller] : []),
    ['Id list', () => list(audience.lists[0]?.name ?? '')],
    [`Single ${audienceWords(audience.kind).many}`, () => devices([])],
    ['Group: all of', () => group('all', [])],
    ['Group: any of', () => group('any', [])],
    ['Not any of', () => not(group('any', []))],
  ]
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" size="compact-sm" leftSection={<Plus size={14} aria-hidden="true" />}>
          Add
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {first && (
          <Menu.Item onClick={() => onAdd(conditionOn(first, audience.operators))}>Condition on an attribute</Menu.Item>
        )}
        {items.map(([label, make]) => (
          <Menu.Item key={label} onClick={() => onAdd(make())}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
