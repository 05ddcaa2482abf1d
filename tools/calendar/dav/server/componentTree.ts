import { decodeIcsText, foldLine } from '../../exchange/domain/icsText.ts';
import { parsePropertyLine, type PropertyLine, splitContentLines } from '../../exchange/server/ics/contentLines.ts';

/** A component with its content, in the order of the text. */
export interface ComponentTree {
  /** Upper case. */
  readonly name: string;
  readonly properties: readonly PropertyLine[];
  readonly components: readonly ComponentTree[];
}

interface OpenComponent extends ComponentTree {
  readonly properties: PropertyLine[];
  readonly components: ComponentTree[];
}

/** Maximum nesting: calendar, event, alarm, and a place or participant in it. */
const MAX_DEPTH = 12;

const createComponent = (name: string): OpenComponent => ({ name, properties: [], components: [] });

/** Parses the `VCALENDAR` of a text; an empty one if there is none. An unclosed component ends with its parent. */
export function parseComponentTree(text: string): ComponentTree {
  const root = createComponent('');
  const openComponents: OpenComponent[] = [root];
  for (const line of splitContentLines(decodeIcsText(text))) {
    const property = parsePropertyLine(line);
    if (property === undefined) continue;
    const component = property.value.trim().toUpperCase();
    if (property.name === 'BEGIN' && openComponents.length < MAX_DEPTH) {
      const next = createComponent(component);
      openComponents.at(-1)?.components.push(next);
      openComponents.push(next);
    } else if (property.name === 'END') {
      const index = openComponents.findLastIndex(({ name }) => name === component);
      if (index > 0) openComponents.length = index;
    } else openComponents.at(-1)?.properties.push(property);
  }
  return root.components.find(({ name }) => name === 'VCALENDAR') ?? createComponent('VCALENDAR');
}

/** Formats a component as iCalendar text with folded lines. */
export function formatComponentTree({ name, properties, components }: ComponentTree): string {
  return [
    `BEGIN:${name}\r\n`,
    ...properties.map(({ head, value }) => foldLine(`${head}:${value}`)),
    ...components.map(formatComponentTree),
    `END:${name}\r\n`,
  ].join('');
}

export function findProperty({ properties }: ComponentTree, name: string): PropertyLine | undefined {
  return properties.find((property) => property.name === name);
}

export function listProperties({ properties }: ComponentTree, name: string): readonly PropertyLine[] {
  return properties.filter((property) => property.name === name);
}
