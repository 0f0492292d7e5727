/** What decides whether a key that is pressed is a shortcut. */
type KeyPress = Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'target'>

const TEXT = 'input, textarea, select, [contenteditable]'
const COVERS = '[role="dialog"], [role="menu"]'

/** Returns whether a letter is one of a list's: no key of the system is held, and what is focused takes no text. */
export function isForList(event: KeyPress): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !isWithin(event.target, TEXT)
}

/** Returns whether a key is one of the page's: it could be a list's, and no dialog or menu covers the page. */
export function isForPage(event: KeyPress): boolean {
  return isForList(event) && !isWithin(event.target, COVERS)
}

function isWithin(target: EventTarget | null, selector: string): boolean {
  return target instanceof HTMLElement && target.closest(selector) !== null
}
