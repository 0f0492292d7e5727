import { Modal } from '@mantine/core'
import { Preformatted } from '@/components/Preformatted'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { bytes } from '@/lib/format'
import { CELL_STATES, nameOf, type Cell } from './matrix'
import classes from './releases.module.css'

type Props = { release: number; cell: Cell; onClose: () => void }

/** One cell of a simulation: the result of each sample, and their output. */
export default function CellDialog({ release, cell, onClose }: Props) {
  const { word, tone } = CELL_STATES[cell.state]
  return (
    <Modal opened onClose={onClose} title={`Simulation: ${nameOf(cell)}`} size="xl">
      <div className={classes.dialog}>
        <div className={classes.line}>
          <StatusMark tone={tone}>{word}</StatusMark> {cell.sentence}
        </div>
        {cell.samples.length > 0 && <Samples cell={cell} />}
        {cell.logs ? (
          <>
            <div className={classes.logHead}>
              <h3 className={classes.sub}>Log</h3>
              <a href={`/api/v1/releases/${release}/simulation/${cell.id}/log`} download>
                Download
              </a>
            </div>
            <Preformatted label="Log">{cell.logs}</Preformatted>
          </>
        ) : (
          <p className="note">The samples wrote no log.</p>
        )}
      </div>
    </Modal>
  )
}

function Samples({ cell }: { cell: Cell }) {
  return (
    <Table label="Samples" columns={['Sample', 'Outcome', end('Time'), end('Memory'), 'Why']}>
      {cell.samples.map((sample) => (
        <tr key={sample.name}>
          <th scope="row">{sample.name}</th>
          <td>
            <StatusMark tone={sample.passed ? 'ok' : 'bad'}>{sample.passed ? 'Passed' : 'Failed'}</StatusMark>
          </td>
          <NumberCell>{Math.round(sample.duration_ms)} ms</NumberCell>
          <NumberCell>{bytes(sample.peak_memory_kb * 1024)}</NumberCell>
          <TextCell>{[sample.error_class, sample.message, ...sample.mismatches].filter(Boolean).join(' · ')}</TextCell>
        </tr>
      ))}
    </Table>
  )
}
