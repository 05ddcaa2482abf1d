import type { ChartLine } from './plot.ts';
import styles from './LineChart.module.css';

/** Lines that are named beside the cross. */
const MAX_NAMED_LINES = 12;
/** Room between the cross and the box, in px. */
const GAP = 14;

/** The lines that have something at a tick, greatest first, without those that are hidden. */
export const listLinesAt = (
  lines: readonly ChartLine[],
  hidden: ReadonlySet<string>,
  index: number,
): readonly { readonly line: ChartLine; readonly value: number }[] =>
  lines
    .filter(({ name }) => !hidden.has(name))
    .map((line) => ({ line, value: line.values[index] ?? 0 }))
    .filter(({ value }) => value !== 0)
    .toSorted((one, other) => other.value - one.value);

const element = (tag: string, text: string, name?: string): HTMLElement => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name !== undefined) made.className = styles[name] ?? '';
  return made;
};

interface TooltipContent {
  readonly label: string;
  readonly lines: ReturnType<typeof listLinesAt>;
  readonly formatValue: (value: number) => string;
}

/** What stands at the cross. Moved by hand: nothing is drawn by React while the pointer moves. */
export const showTooltip = (box: HTMLElement, { label, lines, formatValue }: TooltipContent, x: number): void => {
  const rows = lines.slice(0, MAX_NAMED_LINES).map(({ line, value }) => {
    const row = element('span', '');
    const dot = element('i', '');
    dot.style.background = line.colour;
    row.append(dot, element('span', line.name, 'tipName'), element('b', formatValue(value)));
    return row;
  });
  const more = lines.length > MAX_NAMED_LINES ? `and ${lines.length - MAX_NAMED_LINES} more` : 'Nothing';
  const rest = lines.length > MAX_NAMED_LINES || lines.length === 0 ? [element('small', more)] : [];
  box.replaceChildren(element('b', label), ...rows, ...rest);
  box.hidden = false;
  const room = box.parentElement?.clientWidth ?? 0;
  const isRight = x + GAP + box.offsetWidth <= room || x < room / 2;
  const left = isRight ? x + GAP : x - GAP - box.offsetWidth;
  box.style.left = `${Math.max(0, Math.min(left, room - box.offsetWidth))}px`;
};
