/** Proposes the next version: the next minor one. */
export function nextVersion(version: string | undefined): string {
  const [major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '')?.slice(1) ?? []
  return major === undefined || minor === undefined ? '1.0.0' : `${major}.${Number(minor) + 1}.0`
}
