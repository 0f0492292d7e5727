import { Button, FileInput, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { useRights } from '@/hooks/useRights'
import { missingAnywhere } from '@/lib/rights'
import { useUpload, type WorkflowPath } from './usePlacements'
import classes from './placement.module.css'

type Props = { onDone: (path: WorkflowPath) => void }

/** Uploads the document of a workflow. */
export function UploadButton({ onDone }: Props) {
  const [opened, setOpened] = useState(false)
  const rights = useRights()
  return (
    <>
      <GuardedButton missing={missingAnywhere(rights, 'push', 'scenario')} onClick={() => setOpened(true)}>
        Upload workflow
      </GuardedButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Upload workflow">
        <Upload onDone={onDone} />
      </Modal>
    </>
  )
}

function Upload({ onDone }: Props) {
  const [scenario, setScenario] = useState('')
  const [workflow, setWorkflow] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [unreadable, setUnreadable] = useState('')
  const upload = useUpload(onDone)
  const send = async () => {
    setUnreadable('')
    const document = await readDocument(file)
    if (document === null) setUnreadable('Expected a file with one JSON object, as docs/workflow-format.md shows.')
    else upload.mutate({ path: { scenario: scenario.trim(), workflow: workflow.trim() }, document })
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <TextInput
        label="Scenario"
        placeholder="camera"
        value={scenario}
        onChange={(event) => setScenario(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label="Name"
        description="A workflow that has this name is replaced."
        placeholder="questions"
        value={workflow}
        onChange={(event) => setWorkflow(event.currentTarget.value)}
      />
      <FileInput
        label="Document"
        placeholder="workflow.json"
        accept="application/json"
        value={file}
        onChange={setFile}
        error={unreadable}
      />
      {upload.error && <ErrorNote error={upload.error} />}
      <Button
        type="submit"
        loading={upload.isPending}
        disabled={scenario.trim() === '' || workflow.trim() === '' || !file}
      >
        Upload
      </Button>
    </form>
  )
}

async function readDocument(file: File | null): Promise<Record<string, unknown> | null> {
  try {
    const found: unknown = JSON.parse((await file?.text()) ?? '')
    return found !== null && typeof found === 'object' && !Array.isArray(found)
      ? (found as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
