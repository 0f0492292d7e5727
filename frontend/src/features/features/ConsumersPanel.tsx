import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import type { Schemas } from '@/api/schemas'
import { count } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'

type Consumer = Schemas['FeatureConsumer']

/** A consumer that lags longer than this needs somebody. */
const BEHIND_S = 60
const COLUMNS = ['Consumer', 'State', end('Not read yet'), end('Waiting for'), end('Read'), 'Last read'] as const

/** Who reads the features, and how far behind each is. */
export function ConsumersPanel({ consumers }: { consumers: readonly Consumer[] | undefined }) {
  return (
    <Panel title="Consumers">
      {consumers === undefined && <LinesSkeleton lines={3} />}
      {consumers?.length === 0 && (
        <p className="note">
          Nothing reads the features that you may see, but this page and exports. A task with a cloud half does.
        </p>
      )}
      {consumers !== undefined && consumers.length > 0 && (
        <Table label="Consumers of features" columns={COLUMNS} minWidth={560}>
          {consumers.map((consumer) => (
            <Row key={consumer.name} consumer={consumer} />
          ))}
        </Table>
      )}
    </Panel>
  )
}

function Row({ consumer }: { consumer: Consumer }) {
  const isFailing = consumer.failures > 0
  return (
    <>
      <tr data-consumer={consumer.name}>
        <th scope="row">{consumer.name}</th>
        <td>
          {isFailing ? (
            <StatusMark tone="bad">failing</StatusMark>
          ) : consumer.seconds > BEHIND_S ? (
            <StatusMark tone="attention">behind</StatusMark>
          ) : (
            <StatusMark tone="ok">reading</StatusMark>
          )}
        </td>
        <NumberCell data-count="lag">{count(consumer.features)}</NumberCell>
        <NumberCell>{consumer.features > 0 ? milliseconds(consumer.seconds * 1000) : '–'}</NumberCell>
        <NumberCell>{count(consumer.read)}</NumberCell>
        <td>
          <RelativeTime at={consumer.updated_at} />
        </td>
      </tr>
      {isFailing && (
        <tr>
          <TextCell colSpan={COLUMNS.length}>
            {consumer.name} failed {count(consumer.failures)} times in a row: {consumer.error}
          </TextCell>
        </tr>
      )}
    </>
  )
}
