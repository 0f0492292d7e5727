/** Run by Vitest before each file of journeys. */
import { afterEach } from 'vitest'
import { everybodyLeaves } from './browser'

afterEach(everybodyLeaves)
