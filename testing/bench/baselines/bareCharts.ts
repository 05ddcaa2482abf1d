import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Creates a page with only uPlot: the lines in one chart, and in one chart each.
 * `draw()` returns milliseconds until rendered.
 */
export function createBareCharts(lines: readonly (readonly number[])[]): string {
  const source = readFileSync(createRequire(import.meta.url).resolve('uplot/dist/uPlot.iife.min.js'), 'utf8');
  return `<!doctype html><body><script>${source}</script><script>
const lines = ${JSON.stringify(lines)};
const days = lines[0].map((_, index) => index);
const drawChart = (series, width, height) =>
  new uPlot(
    { width, height, legend: { show: false }, scales: { x: { time: false }, y: { range: [0, 10] } },
      series: [{}, ...series.map((_, index) => ({ stroke: 'hsl(' + (index * 360) / series.length + ' 60% 50%)' }))] },
    [days, ...series], document.body);
window.draw = () => new Promise((resolve) => {
  const startedAt = performance.now();
  drawChart(lines, 1100, 300);
  for (const line of lines) drawChart([line], 540, 170);
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - startedAt)));
});
</script></body>`;
}
