/** Returns whether an element takes text. */
export function takesText(target: EventTarget | null): boolean {
  return isWithin(target, 'input, textarea, select, [contenteditable]')
}

/** Returns whether keys that are pressed at an element are no shortcuts of the page: it takes text, or covers the page. */
export function takesKeys(target: EventTarget | null): boolean {
  return takesText(target) || isWithin(target, '[role="dialog"], [role="menu"]')
}

function isWithin(target: EventTarget | null, selector: string): boolean {
  return target instanceof HTMLElement && target.closest(selector) !== null
}
