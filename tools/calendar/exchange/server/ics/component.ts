import { nameOf, rawValueOf, textIn, unfolded } from './contentLines.ts';

/** A `VEVENT`: its own content lines by name; those of its parts (alarms) are left out. */
export interface Component {
  /** As it is written. */
  readonly text: string;
  readonly lines: ReadonlyMap<string, readonly string[]>;
}

/** Lines of one name that are looked at. */
const SAME_NAME = 5000;

export const componentIn = (text: string): Component => {
  const lines = new Map<string, string[]>();
  let depth = 0;
  for (const line of unfolded(text)) {
    const name = nameOf(line);
    if (name === 'END') depth -= 1;
    if (depth === 1 && name !== '' && name !== 'BEGIN' && name !== 'END') {
      const same = lines.get(name);
      if (!same) lines.set(name, [line]);
      else if (same.length < SAME_NAME) same.push(line);
    }
    if (name === 'BEGIN') depth += 1;
  }
  return { text, lines };
};

export const lineOf = ({ lines }: Component, name: string): string | undefined => lines.get(name)?.[0];
export const linesOf = ({ lines }: Component, name: string): readonly string[] => lines.get(name) ?? [];
export const textOf = (component: Component, name: string): string | undefined => textIn(lineOf(component, name));
export const rawOf = (component: Component, name: string): string => rawValueOf(lineOf(component, name) ?? '');
