/** How a file is shown, by its name and its bytes. */

export type ContentKind = 'text' | 'image' | 'array' | 'arrays' | 'bytes'

/** Larger files are not loaded: size and digest say what there is to say. */
export const MOST_BYTES = 4 * 1024 * 1024
/** Of longer texts, the beginning is shown: so many lines, and so many characters. */
export const MOST_LINES = 3000
export const MOST_CHARACTERS = 256 * 1024

const IMAGES = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'ico'])
const LANGUAGES: Record<string, string> = {
  py: 'python',
  json: 'json',
  jsonl: 'json',
  toml: 'ini',
  ini: 'ini',
  cfg: 'ini',
  yml: 'yaml',
  yaml: 'yaml',
  md: 'markdown',
  js: 'javascript',
  sh: 'bash',
  sql: 'sql',
  html: 'xml',
  svg: 'xml',
  xml: 'xml',
}

export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** The language of highlight.js, undefined for plain text. */
export function languageOf(path: string): string | undefined {
  return LANGUAGES[extensionOf(path)]
}

/** What to expect of a file before it is loaded; 'bytes' if it is not loaded at all. */
export function kindOf(path: string, size: number): ContentKind {
  const extension = extensionOf(path)
  if (size > MOST_BYTES) return 'bytes'
  if (IMAGES.has(extension)) return 'image'
  if (extension === 'npy') return 'array'
  if (extension === 'npz') return 'arrays'
  return 'text'
}

/** Returns the text in UTF-8, null if the bytes are no text. */
export function textIn(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Returns the beginning of a text that is shown, and whether there is more of it. */
export function beginningOf(text: string): { shown: string; isCut: boolean } {
  const lines = text.slice(0, MOST_CHARACTERS).split('\n')
  const shown = lines.slice(0, MOST_LINES).join('\n')
  return { shown, isCut: shown.length < text.length }
}
