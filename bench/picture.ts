// Draws cost against size: one line per workload, both axes logarithmic.
import type { GrowthRow } from './growth.ts'

const WIDTH = 860
const HEIGHT = 460
const LEFT = 70
const RIGHT = 250
const TOP = 30
const BOTTOM = 50

export function growthPicture(rows: GrowthRow[]): string {
  const sizes = (rows[0]?.costs ?? []).map(({ applicants }) => applicants)
  const all = rows.flatMap(({ costs }) => costs.map(({ p50 }) => p50)).filter(cost => cost > 0)
  const low = 10 ** Math.floor(Math.log10(Math.min(...all)))
  const high = 10 ** Math.ceil(Math.log10(Math.max(...all)))
  const share = (value: number, from: number, to: number) => Math.log(value / from) / Math.log(to / from)
  const x = (applicants: number) =>
    LEFT + share(applicants, sizes[0] ?? 1, sizes.at(-1) ?? 10) * (WIDTH - LEFT - RIGHT)
  const y = (cost: number) => HEIGHT - BOTTOM - share(cost, low, high) * (HEIGHT - TOP - BOTTOM)
  const text = (at: [number, number], words: string, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${words}</text>`
  const levels = Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, step) => low * 10 ** step)
  const lines = rows.map(({ name, costs }, at) => {
    const colour = `hsl(${Math.round((360 * at) / rows.length)} 65% 40%)`
    const points = costs
      .map(({ applicants, p50 }) => `${x(applicants).toFixed(1)},${y(p50).toFixed(1)}`)
      .join(' ')
    const label = TOP + 12 + at * 22
    return [
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<rect x="${WIDTH - RIGHT + 20}" y="${label - 9}" width="12" height="4" fill="${colour}"/>`,
      text([WIDTH - RIGHT + 38, label], name),
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>Cost against size</title>
<rect width="100%" height="100%" fill="white"/>
${text([LEFT, 18], 'Milliseconds of one request (median) against the number of applicants', 'font-weight="bold"')}
${levels.map(level => `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(level).toFixed(1)}" y2="${y(level).toFixed(1)}" stroke="#ddd"/>\n${text([LEFT - 8, y(level) + 4], `${level} ms`, 'text-anchor="end"')}`).join('\n')}
${sizes.map(size => text([x(size), HEIGHT - BOTTOM + 20], size.toLocaleString('en'), 'text-anchor="middle"')).join('\n')}
${lines.join('\n')}
</svg>
`
}
