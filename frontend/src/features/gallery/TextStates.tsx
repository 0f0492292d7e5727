import { useState } from 'react'
import { CommandSteps, LoneCommand } from '@/components/CommandSteps'
import { CopyDigest, CopyText } from '@/components/CopyText'
import { Fact, Facts } from '@/components/Facts'
import { RelativeTime } from '@/components/RelativeTime'
import { SearchField } from '@/components/SearchField'
import { Suggested } from '@/components/Suggested'
import { useFilters } from '@/hooks/useFilters'
import { serverNow } from '@/lib/serverClock'
import { LONG } from './samples'
import type { GallerySearch } from './search'
import { State, States } from './States'

const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const AGES_S = { 'in a while': -120, now: 0, 'seconds ago': 20, 'hours ago': 7200, 'months ago': 9_000_000 }

/** Names with values, times, what is copied and what is typed. */
export function TextStates() {
  return (
    <>
      <States of="Facts" about="names and values, one below the other">
        <State name="one">
          <Facts>
            <Fact name="Version">1.2.0</Fact>
          </Facts>
        </State>
        <State name="long and missing ones">
          <Facts>
            <Fact name="Version">1.2.0</Fact>
            <Fact name="A name that takes more room than what it names">{LONG}</Fact>
            <Fact name="Tagged">
              <RelativeTime at={null} />
            </Fact>
          </Facts>
        </State>
      </States>
      <Times />
      <States of="CopyText" about="ids, digests and commands, copied by a click">
        <State name="an id">
          <CopyText text="7f3c9a" label="device id" />
        </State>
        <State name="a digest">
          <CopyDigest digest={DIGEST} label="digest" />
        </State>
        <State name="long">
          <CopyText text={LONG} label="long text" />
        </State>
        <State name="a command">
          <CopyText block text="walle status" label="command: status" />
        </State>
        <State name="a long command of two lines">
          <CopyText block text={`${LONG}\n${LONG}`} label="command: long" />
        </State>
      </States>
      <States of="CommandSteps" about="what to do in a terminal" wide>
        <State name="steps, one of them without a command">
          <CommandSteps
            steps={[
              { title: 'Once in a terminal', command: 'export WALLE_URL=https://walle.example' },
              { title: 'Then think about it.' },
              { title: 'Push', command: LONG, label: 'push it' },
            ]}
          />
        </State>
        <State name="one command">
          <LoneCommand title="Or without git" command="walle version upload . camera/digits 1.0.0" />
        </State>
      </States>
      <Typed />
    </>
  )
}

function Times() {
  const [opened] = useState(serverNow)
  return (
    <States of="RelativeTime" about="how long ago; the title has the absolute time">
      {Object.entries(AGES_S).map(([name, age]) => (
        <State key={name} name={name}>
          <RelativeTime at={new Date(opened - age * 1000).toISOString()} />
        </State>
      ))}
      <State name="never">
        <RelativeTime at={null} />
      </State>
      <State name="missing, in other words">
        <RelativeTime at={undefined} empty="none yet" />
      </State>
    </States>
  )
}

function Typed() {
  const [{ q }, setFilters] = useFilters<GallerySearch>()
  const [value, setValue] = useState('')
  return (
    <States of="Fields" about="what is searched is in the address; / leads to the search">
      <State name="search">
        <SearchField label="Search samples" value={q} onChange={(typed) => setFilters({ q: typed })} />
      </State>
      <State name="suggestions">
        <Suggested label="Model" value={value} suggestions={['Pixel 8', 'Pixel 9', LONG]} onCommit={setValue} />
      </State>
      <State name="suggestions, refused">
        <Suggested
          label="Model, refused"
          value="?"
          suggestions={[]}
          error="There is no such model."
          onCommit={() => undefined}
        />
      </State>
    </States>
  )
}
