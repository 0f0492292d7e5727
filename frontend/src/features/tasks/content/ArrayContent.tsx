import { useMemo } from 'react'
import { Fact, Facts } from '@/components/Facts'
import { count, percent, plural } from '@/lib/format'
import { MOST_BYTES } from './contentKind'
import { NotAnArray, readNpy, readNpz, typeName, type Member } from './npy'
import { summarize, type Summary } from './summary'
import classes from './content.module.css'

/** So many bytes an archive may unpack to. */
const MOST_UNPACKED = 8 * MOST_BYTES

/** The arrays of a .npy or .npz file: shape, type and how their numbers are distributed. */
export default function ArrayContent({ bytes, isArchive }: { bytes: Uint8Array; isArchive: boolean }) {
  const found = useMemo(() => readArrays(bytes, isArchive), [bytes, isArchive])
  if (typeof found === 'string') return <p className="muted">NumPy could not read this file: {found}.</p>
  return (
    <div className={classes.arrays}>
      {found.map((member) => (
        <OneArray key={member.name} member={member} />
      ))}
    </div>
  )
}

function readArrays(bytes: Uint8Array, isArchive: boolean): Member[] | string {
  try {
    return isArchive ? readNpz(bytes, MOST_UNPACKED) : [{ name: '', array: readNpy(bytes), problem: '' }]
  } catch (error) {
    if (!(error instanceof NotAnArray)) throw error
    return error.message
  }
}

function OneArray({ member: { name, array, problem } }: { member: Member }) {
  const summary = useMemo(() => (array?.values ? summarize(array.values) : null), [array])
  return (
    <section className={classes.array} aria-label={name ? `Array ${name}` : 'Array'}>
      {name && (
        <h3>
          <code>{name}</code>
        </h3>
      )}
      {!array && <p className="muted">{problem}</p>}
      {array && (
        <Facts>
          <Fact name="Shape">
            <code>{array.shape.length ? array.shape.map(count).join(' × ') : 'one number'}</code>
          </Fact>
          <Fact name="Type">{typeName(array.dtype)}</Fact>
          {summary && <SummaryFacts summary={summary} all={array.values?.length ?? 0} />}
        </Facts>
      )}
      {summary && summary.least < summary.most && <Histogram summary={summary} />}
    </section>
  )
}

function SummaryFacts({ summary: { least, most, mean, zeros, notFinite }, all }: { summary: Summary; all: number }) {
  return (
    <>
      {least === most ? (
        <Fact name="Value">{number(least)}</Fact>
      ) : (
        <>
          <Fact name="Range">
            {number(least)} to {number(most)}
          </Fact>
          <Fact name="Mean">{number(mean)}</Fact>
        </>
      )}
      {zeros > 0 && least < most && <Fact name="Zeros">{percent(zeros / all)}</Fact>}
      {notFinite > 0 && <Fact name="Not finite">{plural(notFinite, 'number')}</Fact>}
    </>
  )
}

function number(value: number): string {
  return Number(value.toPrecision(4)).toString()
}

const [WIDTH, HEIGHT, AXIS] = [400, 96, 16]

/** How many numbers are in each range, with a bar for each. */
function Histogram({ summary: { counts, least, most } }: { summary: Summary }) {
  const highest = Math.max(...counts)
  const step = WIDTH / counts.length
  const label = `Numbers from ${number(least)} to ${number(most)}, at most ${count(highest)} in one of ${plural(counts.length, 'range')}`
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + AXIS}`} className={classes.histogram} role="img" aria-label={label}>
      {counts.map((some, index) => {
        // What is there stays visible beside what is most.
        const height = some === 0 ? 0 : Math.max(1, (HEIGHT * some) / highest)
        return <rect key={index} x={index * step} y={HEIGHT - height} width={Math.max(1, step - 1)} height={height} />
      })}
      <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      <text x={0} y={HEIGHT + AXIS - 3}>
        {number(least)}
      </text>
      <text x={WIDTH} y={HEIGHT + AXIS - 3} textAnchor="end">
        {number(most)}
      </text>
    </svg>
  )
}
