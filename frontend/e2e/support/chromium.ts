/** The real Chromium of journeys and measurements. */
import { chromium, type Browser } from 'playwright-core'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launch(executable: string | undefined): Promise<Browser> {
  return chromium.launch({ executablePath: executable, args: FLAGS })
}
