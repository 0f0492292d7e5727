/** NumPy arrays in files: NEP 1 (.npy) and archives of these (.npz). */
import { unzipSync } from 'fflate'

export type NumpyArray = {
  shape: readonly number[]
  /** NumPy's name, such as "<f4". */
  dtype: string
  /** Null for types that are no numbers. */
  values: readonly number[] | Float64Array | null
}

/** The file is no array, or another version of one. */
export class NotAnArray extends Error {}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]
const SIZES: Record<string, number> = {
  f2: 2,
  f4: 4,
  f8: 8,
  i1: 1,
  i2: 2,
  i4: 4,
  i8: 8,
  u1: 1,
  u2: 2,
  u4: 4,
  u8: 8,
  b1: 1,
}

const KINDS: Record<string, string> = { f: 'float', i: 'int', u: 'uint', b: 'bool' }

/** "float32" for "<f4"; types that are no numbers keep NumPy's short name. */
export function typeName(dtype: string): string {
  const kind = dtype.slice(1)
  const [name, size] = [KINDS[kind[0] ?? ''], SIZES[kind]]
  if (name === undefined || size === undefined) return dtype
  return name === 'bool' ? name : `${name}${8 * size}${dtype.startsWith('>') ? ', big-endian' : ''}`
}

/** Reads an array. Raises NotAnArray. */
export function readNpy(file: Uint8Array): NumpyArray {
  if (!MAGIC.every((byte, index) => file[index] === byte)) throw new NotAnArray('it does not begin as .npy files do')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const isFirst = view.getUint8(6) === 1
  const start = isFirst ? 10 : 12
  if (file.byteLength < start) throw new NotAnArray('it ends within its header')
  const end = start + (isFirst ? view.getUint16(8, true) : view.getUint32(8, true))
  if (file.byteLength < end) throw new NotAnArray('it ends within its header')
  const header = new TextDecoder('latin1').decode(file.subarray(start, end))
  const dtype = /'descr':\s*'([^']{1,20})'/.exec(header)?.[1]
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1]
  if (dtype === undefined || shape === undefined) throw new NotAnArray('its header names no plain type and shape')
  const sizes = shape
    .split(',')
    .filter((each) => each.trim() !== '')
    .map(Number)
  return {
    shape: sizes,
    dtype,
    values: readValues(
      view,
      end,
      dtype,
      sizes.reduce((all, size) => all * size, 1),
    ),
  }
}

function readValues(view: DataView, start: number, dtype: string, count: number): Float64Array | null {
  const [order, kind] = [dtype[0], dtype.slice(1)]
  const size = SIZES[kind]
  if (size === undefined || !order || !'<>|='.includes(order)) return null
  if (view.byteLength < start + size * count) throw new NotAnArray('it ends before its last number')
  const read = readerOf(kind, order !== '>')
  const values = new Float64Array(count)
  for (let index = 0; index < count; index += 1) values[index] = read(view, start + size * index)
  return values
}

type Reader = (view: DataView, place: number) => number

function readerOf(kind: string, little: boolean): Reader {
  switch (kind) {
    case 'f2':
      return (view, place) => halfFloat(view.getUint16(place, little))
    case 'f4':
      return (view, place) => view.getFloat32(place, little)
    case 'f8':
      return (view, place) => view.getFloat64(place, little)
    case 'i1':
      return (view, place) => view.getInt8(place)
    case 'i2':
      return (view, place) => view.getInt16(place, little)
    case 'i4':
      return (view, place) => view.getInt32(place, little)
    case 'i8':
      return (view, place) => Number(view.getBigInt64(place, little))
    case 'u2':
      return (view, place) => view.getUint16(place, little)
    case 'u4':
      return (view, place) => view.getUint32(place, little)
    case 'u8':
      return (view, place) => Number(view.getBigUint64(place, little))
    default:
      return (view, place) => view.getUint8(place)
  }
}

/** The number of IEEE 754's binary16 with these bits. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return exponent === 0 ? sign * 2 ** -24 * fraction : sign * 2 ** (exponent - 25) * (0x400 + fraction)
}

export type Member = { name: string; array: NumpyArray | null; problem: string }

/**
 * Reads the arrays of an archive that unpacks to `most` bytes at most; of others, and of what is no array, it says why.
 * Raises NotAnArray.
 */
export function readNpz(file: Uint8Array, most: number): Member[] {
  let left = most
  const tooLarge: string[] = []
  let members: Record<string, Uint8Array>
  try {
    members = unzipSync(file, {
      filter: ({ name, originalSize }) => {
        if (originalSize > left) tooLarge.push(name)
        else left -= originalSize
        return !tooLarge.includes(name)
      },
    })
  } catch (error) {
    throw new NotAnArray(
      `it is no archive that can be unpacked (${error instanceof Error ? error.message : 'damaged'})`,
    )
  }
  const found = Object.entries(members).map(([name, bytes]) => ({ name: nameOf(name), ...readMember(bytes) }))
  return [...found, ...tooLarge.map((name) => ({ name: nameOf(name), array: null, problem: 'too large to be shown' }))]
}

function readMember(bytes: Uint8Array): Omit<Member, 'name'> {
  try {
    return { array: readNpy(bytes), problem: '' }
  } catch (error) {
    if (!(error instanceof NotAnArray)) throw error
    return { array: null, problem: error.message }
  }
}

function nameOf(member: string): string {
  return member.replace(/\.npy$/, '')
}
