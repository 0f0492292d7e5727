/** Columns of the task's page: a table, and what is said beside it. */
export const WIDE_AND_NARROW = 'minmax(0, 2fr) minmax(280px, 1fr)'
