/** The address of the page of components: what its table and its charts keep there. */
import type { ColumnsSearch } from '@/lib/columns'
import { text } from '@/lib/search'

export type GallerySearch = ColumnsSearch & { q?: string | undefined }

export function readGallerySearch(search: Record<string, unknown>): GallerySearch {
  return { columns: text(search, 'columns'), q: text(search, 'q') }
}
