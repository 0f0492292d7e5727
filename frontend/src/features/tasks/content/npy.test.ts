import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { NotAnArray, readNpy, readNpz, typeName } from './npy'

/** The bytes that numpy.save writes. */
function npy(descr: string, shape: string, data: ArrayBuffer, version = 1): Uint8Array {
  const header = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }\n`
  const length = version === 1 ? [header.length & 255, header.length >> 8] : [header.length, 0, 0, 0]
  const start = [0x93, ...new TextEncoder().encode('NUMPY'), version, 0, ...length]
  return new Uint8Array([...start, ...new TextEncoder().encode(header), ...new Uint8Array(data)])
}

const floats = npy("'<f4'", '(2, 2)', new Float32Array([1, -2, 0.5, Number.NaN]).buffer)

describe('readNpy', () => {
  it.each([
    ["'<f8'", new Float64Array([1.25, -3]).buffer],
    ["'<i4'", new Int32Array([1, -3]).buffer],
    ["'|i1'", new Int8Array([1, -3]).buffer],
    ["'<i8'", new BigInt64Array([1n, -3n]).buffer],
    ["'<f2'", new Uint16Array([0x3c00, 0xc200]).buffer],
    ["'>i2'", new Uint8Array([0, 1, 255, 253]).buffer],
  ])('reads numbers of type %s', (descr, data) => {
    const found = readNpy(npy(descr, '(2,)', data))
    expect(found.shape).toEqual([2])
    expect([...(found.values ?? [])].map(Math.trunc)).toEqual([1, -3])
  })

  it('reads unsigned numbers, truth values and half floats at the edges', () => {
    expect([...(readNpy(npy("'|u1'", '(1,)', new Uint8Array([200]).buffer)).values ?? [])]).toEqual([200])
    expect([...(readNpy(npy("'|b1'", '(2,)', new Uint8Array([1, 0]).buffer)).values ?? [])]).toEqual([1, 0])
    const halves = npy("'<f2'", '(4,)', new Uint16Array([0x0001, 0x7c00, 0xfc00, 0x7e00]).buffer)
    expect([...(readNpy(halves).values ?? [])]).toEqual([2 ** -24, Infinity, -Infinity, NaN])
  })

  it('reads shapes of any number of axes, and headers of version 2', () => {
    expect(readNpy(floats)).toEqual({ shape: [2, 2], dtype: '<f4', values: Float64Array.of(1, -2, 0.5, Number.NaN) })
    expect(readNpy(npy("'<f8'", '()', new Float64Array([7]).buffer))).toMatchObject({
      shape: [],
      values: Float64Array.of(7),
    })
    expect(readNpy(npy("'|u1'", '(1,)', new Uint8Array([7]).buffer, 2)).values).toEqual(Float64Array.of(7))
  })

  it('has no numbers for other types', () => {
    expect(readNpy(npy("'<U5'", '(3,)', new ArrayBuffer(60)))).toEqual({ shape: [3], dtype: '<U5', values: null })
    expect(() => readNpy(npy("[('a', '<f4')]", '(1,)', new ArrayBuffer(4)))).toThrow(NotAnArray)
  })

  it.each([0, 5, 8, 11, 40, floats.length - 1])('refuses a file that ends after %i bytes', (size) => {
    expect(() => readNpy(floats.slice(0, size))).toThrow(NotAnArray)
  })
})

it.each([
  ['<f4', 'float32'],
  ['|u1', 'uint8'],
  ['|b1', 'bool'],
  ['>i2', 'int16, big-endian'],
  ['<U5', '<U5'],
])('names %s %s', (dtype, name) => {
  expect(typeName(dtype)).toBe(name)
})

describe('readNpz', () => {
  const archive = zipSync({ 'weights.npy': floats, 'note.npy': new TextEncoder().encode('no array') })

  it('reads the arrays, and says what is none', () => {
    const [weights, note] = readNpz(archive, 1000)
    expect(weights).toMatchObject({ name: 'weights', array: { shape: [2, 2] } })
    expect(note).toMatchObject({ name: 'note', array: null, problem: 'it does not begin as .npy files do' })
  })

  it('leaves out what would unpack to too much', () => {
    const bomb = zipSync({ 'zeros.npy': new Uint8Array(1_000_000), 'weights.npy': floats })
    expect(readNpz(bomb, 1000).map(({ name, problem }) => [name, problem])).toEqual([
      ['weights', ''],
      ['zeros', 'too large to be shown'],
    ])
  })

  it('refuses what is no archive', () => {
    expect(() => readNpz(new Uint8Array(100), 1000)).toThrow(NotAnArray)
  })
})
