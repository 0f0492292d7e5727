import { useMemo } from 'react'
import { Fact, Facts } from '@/components/Facts'
import { Histogram, number } from '@/components/Histogram'
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
      {summary && summary.least < summary.most && <Histogram {...summary} />}
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
