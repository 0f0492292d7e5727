/**
 * Pans by dragging, zooms by Ctrl and the wheel or by two fingers, and executes keys and buttons.
 *
 * The view is not React state: a graph of many nodes is moved by one style of one element.
 */
import { select } from 'd3-selection'
import { zoom, zoomIdentity, type D3ZoomEvent } from 'd3-zoom'
import type { Point } from './graph'
import { isCut, opening, SCALE, towardsView, whole, type Size, type View } from './viewport'

/** How far one can pan beyond the graph's ends. */
const BEYOND = 160
const STEP = { pan: 60, zoom: 1.3 }
const NOTHING: Size = { width: 0, height: 0 }

export class PanZoom {
  private readonly behaviour = zoom<HTMLElement, unknown>().scaleExtent(SCALE).clickDistance(4)
  private frame: HTMLElement | null = null
  private graph = NOTHING
  private size = NOTHING
  private view: View = zoomIdentity
  /** Who chose the view: one chosen by the person is kept when the graph grows. */
  private chosen: 'nothing' | 'all' | 'theirs' = 'nothing'

  /** Moves the layer in the frame; returns a function that stops it. */
  attach(frame: HTMLElement, layer: HTMLElement): () => void {
    this.frame = frame
    this.behaviour
      .filter((event: Event) => isMeant(event, isCut(this.graph, this.size, this.view)))
      .on('zoom', ({ transform, sourceEvent }: D3ZoomEvent<HTMLElement, unknown>) => {
        this.view = transform
        if (sourceEvent) this.chosen = 'theirs'
        // Movements by hand are immediate; movements by key are animated.
        layer.toggleAttribute('data-gliding', !sourceEvent)
        layer.style.transform = `translate(${transform.x}px, ${transform.y}px) scale(${transform.k})`
      })
    const selected = select(frame).call(this.behaviour).on('dblclick.zoom', null)
    return () => {
      selected.on('.zoom', null)
      this.frame = null
    }
  }

  /** Adapts to a new size of graph or frame; `around` is the point to show first if the graph is too large. */
  resize(graph: Size, size: Size, around: Point | undefined): void {
    this.graph = graph
    this.size = size
    this.behaviour.translateExtent([
      [-BEYOND, -BEYOND],
      [graph.width + BEYOND, graph.height + BEYOND],
    ])
    if (this.chosen === 'nothing') this.show(opening(graph, size, around))
    if (this.chosen === 'all') this.show(whole(graph, size))
  }

  zoomBy(steps: number): void {
    this.chosen = 'theirs'
    if (this.frame) this.behaviour.scaleBy(select(this.frame), STEP.zoom ** steps)
  }

  /** Pans in the direction of a unit vector. */
  panBy({ x, y }: Point): void {
    this.shift({ x: -STEP.pan * x, y: -STEP.pan * y })
  }

  showAll(): void {
    this.chosen = 'all'
    this.show(whole(this.graph, this.size))
  }

  bringIntoView(point: Point, node: Size): void {
    const by = towardsView(point, node, this.view, this.size)
    if (by.x !== 0 || by.y !== 0) this.shift(by)
  }

  /** Pans by pixels of the frame. */
  private shift({ x, y }: Point): void {
    this.chosen = 'theirs'
    if (this.frame) this.behaviour.translateBy(select(this.frame), x / this.view.k, y / this.view.k)
  }

  private show({ x, y, k }: View): void {
    if (this.frame) this.behaviour.transform(select(this.frame), zoomIdentity.translate(x, y).scale(k))
  }
}

/**
 * Returns whether the event is a gesture: the wheel alone scrolls the page, and so does one finger if the complete
 * graph is visible.
 */
function isMeant(event: Event, canPan: boolean): boolean {
  if (event.type === 'wheel') return (event as WheelEvent).ctrlKey || (event as WheelEvent).metaKey
  if (event.type === 'touchstart') return canPan || (event as TouchEvent).touches.length > 1
  return !('button' in event) || event.button === 0
}
