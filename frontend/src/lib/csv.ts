/** Tables as CSV (RFC 4180). */

/** What spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/

export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** Devices and people choose the texts: an apostrophe keeps spreadsheets from running them as formulas. */
function cell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
