type Work = () => void

/**
 * Runs work with the next frame, or later: at most once in so many milliseconds.
 *
 * Frames are not drawn while the page is hidden; a timer replaces them then.
 */
export function throttle(ms: number): (work: Work) => void {
  let last = Number.NEGATIVE_INFINITY
  return (work) => {
    const run = () => {
      last = performance.now()
      work()
    }
    const soon = () => (document.hidden ? run() : requestAnimationFrame(run))
    const wait = document.hidden ? ms : last + ms - performance.now()
    if (wait > 0) setTimeout(soon, wait)
    else soon()
  }
}
