/** Types of the API's answers, by their names in the OpenAPI document. */
import type { components } from './generated/schema'

export type Schemas = components['schemas']
export type AuditEntry = Schemas['AuditEntry']
export type Release = Omit<Schemas['ReleaseRow'], 'progress'>
export type ReleaseDetail = Schemas['ReleaseDetail']
export type ReleasePlan = Schemas['ReleasePlan']
export type ReleaseState = Schemas['ReleaseState']
export type Stage = Schemas['Stage']
