/** The nonce of this page's content security policy, which style elements made by libraries have to carry. */
export function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}

declare global {
  var __webpack_nonce__: string | undefined
}

globalThis.__webpack_nonce__ = nonce()
