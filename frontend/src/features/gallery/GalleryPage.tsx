import { Button } from '@mantine/core'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { ActionStates } from './ActionStates'
import { ChartStates } from './ChartStates'
import { DrawnStates } from './DrawnStates'
import { GaugeStates } from './GaugeStates'
import { GraphStates } from './GraphStates'
import { MarkStates } from './MarkStates'
import { NoteStates } from './NoteStates'
import { TableStates } from './TableStates'
import { TextStates } from './TextStates'
import { useSteps } from './useSteps'

/** What pages are made of, each component in all of its states; for work on Walle itself. */
export function GalleryPage() {
  const { step, says, press } = useSteps()
  const live = (
    <>
      <span className="note" data-step={step}>
        {step} live values
      </span>
      <Button variant="default" onClick={press}>
        {says}
      </Button>
    </>
  )
  return (
    <Page header={<PageHeader actions={live} passing />}>
      <ChartStates step={step} />
      <GaugeStates step={step} />
      <DrawnStates />
      <TableStates />
      <MarkStates />
      <NoteStates />
      <TextStates />
      <ActionStates />
      <GraphStates />
    </Page>
  )
}
