/** Processor time of the server for one operation, which other load hardly changes, and the size of its result. */
export interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

/** Cost of one operation at each size, and how much faster it grows than its result. */
export interface Growth {
  readonly name: string;
  readonly costs: readonly Cost[];
  readonly excess: number;
}

export const SIZES = [1, 10, 100] as const;
export const INSTANCES = [1, 2, 4] as const;

const COLOURS = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#e69f00',
  '#8a8a00',
  '#6a3d9a',
  '#b15928',
  '#666',
  '#f781bf',
  '#1b9e77',
];
const PANEL = { width: 260, height: 300, top: 40 };

const toY = (ms: number): number => PANEL.top + PANEL.height - ((Math.log10(ms) + 1) / 4) * PANEL.height;

/** Draws cost by size, both on logarithmic axes, in one panel. */
function drawPanel(title: string, sizes: readonly number[], growths: readonly Growth[], left: number): string {
  const toX = (index: number): number => left + (index * PANEL.width) / (sizes.length - 1);
  const rows = [0.1, 1, 10, 100, 1000].map(
    (ms) =>
      `<path d="M${left} ${toY(ms)}h${PANEL.width}" stroke="#ccc"/><text x="${left - 6}" y="${toY(ms) + 4}" text-anchor="end">${ms}</text>`,
  );
  const columns = sizes.map(
    (size, index) => `<text x="${toX(index)}" y="${PANEL.top + PANEL.height + 18}" text-anchor="middle">${size}</text>`,
  );
  const lines = growths.map(({ costs }, index) => {
    const points = costs.map(({ ms }, at) => `${toX(at).toFixed(0)},${toY(Math.max(0.1, ms)).toFixed(1)}`).join(' ');
    return `<polyline points="${points}" fill="none" stroke="${COLOURS[index] ?? '#000'}" stroke-width="2"/>`;
  });
  return [`<text x="${left}" y="24">${title}</text>`, ...rows, ...columns, ...lines].join('\n');
}

/** Draws the costs of all operations as SVG. */
export function drawPlot(
  byData: readonly Growth[],
  byAccounts: readonly Growth[],
  byInstances: readonly Growth[],
): string {
  const legend = byData.map(
    ({ name }, index) =>
      `<path d="M1010 ${52 + index * 24}h24" stroke="${COLOURS[index] ?? '#000'}" stroke-width="3"/><text x="1042" y="${56 + index * 24}">${name}</text>`,
  );
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1260 380" font-family="sans-serif" font-size="13">',
    '<rect width="1260" height="380" fill="#fff"/>',
    drawPanel('core milliseconds by data of one account', SIZES, byData, 50),
    drawPanel('by accounts', SIZES, byAccounts, 370),
    ...(byInstances.length > 0 ? [drawPanel('by instances (PostgreSQL)', INSTANCES, byInstances, 690)] : []),
    ...legend,
    '</svg>\n',
  ].join('\n');
}
