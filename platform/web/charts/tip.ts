import type { ChartLine } from './plot.ts';
import styles from './Line.module.css';

/** Lines that are named beside the cross. */
const NAMED = 12;
/** Room between the cross and the box, in px. */
const GAP = 14;

/** The lines that have something at a tick, greatest first, without those that are hidden. */
export const linesAt = (
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

interface TipText {
  readonly label: string;
  readonly at: ReturnType<typeof linesAt>;
  readonly written: (value: number) => string;
}

/** What stands at the cross. Moved by hand: nothing is drawn by React while the pointer moves. */
export const showTip = (box: HTMLElement, { label, at, written }: TipText, x: number): void => {
  const rows = at.slice(0, NAMED).map(({ line, value }) => {
    const row = element('span', '');
    const dot = element('i', '');
    dot.style.background = line.colour;
    row.append(dot, element('span', line.name, 'tipName'), element('b', written(value)));
    return row;
  });
  const more = at.length > NAMED ? `and ${at.length - NAMED} more` : 'Nothing';
  const rest = at.length > NAMED || at.length === 0 ? [element('small', more)] : [];
  box.replaceChildren(element('b', label), ...rows, ...rest);
  box.hidden = false;
  const room = box.parentElement?.clientWidth ?? 0;
  const isRight = x + GAP + box.offsetWidth <= room || x < room / 2;
  const left = isRight ? x + GAP : x - GAP - box.offsetWidth;
  box.style.left = `${Math.max(0, Math.min(left, room - box.offsetWidth))}px`;
};
