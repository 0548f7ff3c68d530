/** Figures over time as one picture, an SVG: small charts beside each other, with one axis of time. */

export interface Series {
  readonly name: string;
  /** One for each of the picture's times. NaN: not known, and the line has a gap. */
  readonly values: readonly number[];
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
}

export interface Picture {
  readonly title: string;
  /** Minutes since the beginning, in order. */
  readonly minutes: readonly number[];
  /** A dashed line: what is compared begins here. */
  readonly markedMinute: number;
  readonly charts: readonly Chart[];
}

const columns = 3;
const panel = { width: 400, height: 230 };
/** Of a panel, around what is drawn. */
const margin = { left: 58, right: 16, top: 46, bottom: 30 };
const head = 48;
const inner = {
  width: panel.width - margin.left - margin.right,
  height: panel.height - margin.top - margin.bottom,
};
/** Okabe and Ito, "Color Universal Design" (2008): told apart by everybody. */
const colours = ['#0072b2', '#d55e00', '#009e73'];

export function drawPicture({ title, minutes, markedMinute, charts }: Picture): string {
  const rows = Math.ceil(charts.length / columns);
  const [width, height] = [columns * panel.width, head + rows * panel.height];
  const panels = charts.map((chart, at) => {
    const [x, y] = [(at % columns) * panel.width, head + Math.floor(at / columns) * panel.height];
    return `<g transform="translate(${x} ${y})">${drawChart(chart, minutes, markedMinute)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="16" y="30" font-size="16" font-weight="bold">${escape(title)}</text>`,
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function drawChart({ title, unit, series }: Chart, minutes: readonly number[], markedMinute: number): string {
  const known = series.flatMap(({ values }) => values).filter(Number.isFinite);
  const ticks = chooseTicks(Math.max(0, ...known));
  const top = ticks.at(-1) ?? 1;
  const last = minutes.at(-1) ?? 1;
  const toX = (minute: number): number => round(margin.left + (minute / last) * inner.width);
  const toY = (value: number): number => round(margin.top + inner.height * (1 - value / top));
  const right = margin.left + inner.width;
  const bottom = margin.top + inner.height;
  const lines = ticks.map(
    tick =>
      `<path d="M${margin.left} ${toY(tick)}H${right}" stroke="#ddd"/>` +
      `<text x="${margin.left - 6}" y="${toY(tick) + 4}" text-anchor="end" fill="#555">${format(tick)}</text>`,
  );
  const times = [0, last / 2, last].map(
    minute =>
      `<text x="${toX(minute)}" y="${bottom + 16}" text-anchor="${minute === last ? 'end' : 'middle'}" fill="#555">${format(minute)} min</text>`,
  );
  const paths = series.map(({ values }, at) => {
    const points = values.map((value, i) => [minutes[i] ?? 0, value] as const);
    return `<path d="${joinPoints(points, toX, toY)}" fill="none" stroke="${colours[at % colours.length]}" stroke-width="1.5"/>`;
  });
  let x = margin.left;
  const legend = series.map(({ name }, at) => {
    const item = `<text x="${x}" y="36" fill="${colours[at % colours.length]}">${escape(name)}</text>`;
    // Some six units a letter at this size.
    x += name.length * 6 + 16;
    return item;
  });
  return [
    `<text x="${margin.left}" y="20" font-size="13">${escape(unit === '' ? title : `${title}, ${unit}`)}</text>`,
    ...lines,
    ...times,
    `<path d="M${toX(markedMinute)} ${margin.top}V${bottom}" stroke="#999" stroke-dasharray="3 3"/>`,
    ...paths,
    ...legend,
  ].join('\n');
}

function joinPoints(
  points: readonly (readonly [minute: number, value: number])[],
  toX: (minute: number) => number,
  toY: (value: number) => number,
): string {
  let path = '';
  let isGap = true;
  for (const [minute, value] of points) {
    if (Number.isFinite(value)) path += `${isGap ? 'M' : 'L'}${toX(minute)} ${toY(value)}`;
    isGap = !Number.isFinite(value);
  }
  return path;
}

/** Three to six round numbers from 0 on, the last of which is the largest value or more. */
export function chooseTicks(largest: number): readonly number[] {
  if (largest <= 0) return [0, 1];
  const magnitude = 10 ** Math.floor(Math.log10(largest));
  const steps = [0.2, 0.5, 1, 2].map(step => step * magnitude);
  const step = steps.find(each => largest / each <= 5) ?? magnitude * 2;
  // What floating point leaves over is no further step.
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)));
}

const format = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));

const round = (value: number): number => Math.round(value * 10) / 10;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
