import { Curve } from '@/components/Curve'
import { Histogram } from '@/components/Histogram'
import { QuantileRanges, RangeAxis, RangeLegend } from '@/components/QuantileRanges'
import { Sparkline } from '@/components/Sparkline'
import { valueAt } from './samples'
import { State, States } from './States'

const MANY = Array.from({ length: 80 }, (_, step) => valueAt(step))
const POINTS = [0.7, 0.75, 0.8, 0.86, 0.91].map((x, index) => ({ x, y: 1 + index * index, isMarked: index % 2 === 0 }))
const COUNTS = Array.from({ length: 40 }, (_, range) => (range % 11 === 3 ? 0 : 1 + valueAt(range) ** 2))
const SCALE = { from: 1, to: 1000 }
const RANGES = [
  { name: 'cold', tone: 'attention', of: { p50: 40, p90: 120, p99: 800 } },
  { name: 'warm', tone: 'running', of: { p50: 3, p90: 5, p99: 30 } },
] as const
const LACKING = [{ ...RANGES[0], of: null }, RANGES[1]]
const inMs = (value: number) => `${value} ms`
const inWords = ({ p50, p90, p99 }: { p50: number; p90: number; p99: number }) => `${p50} / ${p90} / ${p99} ms`
const dollars = (value: number) => `$${value}`

/** What is drawn without time. */
export function DrawnStates() {
  return (
    <>
      <States of="Sparkline" about="a small curve in a cell">
        <State name="one value">
          <Sparkline values={[3]} label="One value" />
        </State>
        <State name="values that are alike">
          <Sparkline values={[3, 3, 3]} label="Three values" />
        </State>
        <State name="many values">
          <Sparkline values={MANY} label="Many values" />
        </State>
        <State name="many values, from zero">
          <Sparkline fromZero values={MANY.map((each) => each + 40)} label="Many values from zero" />
        </State>
        <State name="below zero">
          <Sparkline values={MANY.map((each) => each - 20)} label="Values around zero" />
        </State>
      </States>
      <States of="Curve" about="a line through a few points, with the present one in a ring">
        <State name="one point">
          <Curve label="One point" points={POINTS.slice(0, 1)} current={0} steps={false} format={dollars} />
        </State>
        <State name="a line from 0">
          <Curve label="A line" points={POINTS} current={2} steps={false} format={dollars} />
        </State>
        <State name="steps, from the lowest value">
          <Curve
            label="Steps"
            points={POINTS.map((each) => ({ ...each, y: 100 + each.y }))}
            current={4}
            steps
            format={dollars}
          />
        </State>
      </States>
      <States of="Histogram" about="how many numbers are in each range">
        <State name="one range">
          <Histogram counts={[12]} least={0} most={1} />
        </State>
        <State name="many ranges, empty ones among them">
          <Histogram counts={COUNTS} least={-0.123456} most={1e9} />
        </State>
      </States>
      <States of="QuantileRanges" about="distributions on a logarithmic scale">
        <State name="two, with their axis and legend">
          <RangeLegend ranges={RANGES} />
          <QuantileRanges ranges={RANGES} scale={SCALE} format={inWords} />
          <RangeAxis scale={SCALE} format={inMs} />
        </State>
        <State name="one is missing">
          <QuantileRanges ranges={LACKING} scale={SCALE} format={inWords} />
        </State>
        <State name="none">
          <QuantileRanges ranges={[]} scale={SCALE} format={inWords} />
        </State>
      </States>
    </>
  )
}
