import Bowser from 'bowser'

/** How people name the browser or program that a session began with: "Firefox 131 on Linux". */
export function browserName(userAgent: string): string {
  if (!userAgent) return 'It does not say what it is'
  const { browser, os } = Bowser.parse(userAgent)
  // A program names itself, as "walle/1.0" does.
  if (!browser.name || !os.name) return userAgent
  const major = browser.version?.split('.')[0]
  return `${[browser.name, major].filter(Boolean).join(' ')} on ${os.name}`
}
