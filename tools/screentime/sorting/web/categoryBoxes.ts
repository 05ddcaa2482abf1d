import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import type { applicationcatinfo, modifyapplicationcatinfo } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { NO_KEYS } from '../domain/category.ts';
import type { Box } from '../domain/categoryBoard.ts';

type Data = AnswerOf<typeof applicationcatinfo>['data'];

/** The categories as the server has them. */
export interface CategoryBoxes {
  /** What nobody has sorted is the last one, and always there. */
  readonly boxes: readonly Box[];
  /** CSS, by application. */
  readonly colours: ReadonlyMap<string, string>;
  /** Hotkeys that a computer could not take. */
  readonly refused: Data['refused'];
}

const own = <Value>(map: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

export function sortingIn({ keys, cats, apps, refused }: Data): CategoryBoxes {
  const named = Object.keys(cats).filter((name) => name !== UNASSIGNED);
  return {
    boxes: [...named, UNASSIGNED].map((name) => ({
      name,
      keys: own(keys, name) ?? NO_KEYS,
      applications: own(cats, name) ?? [],
    })),
    colours: new Map(Object.entries(apps).map(([name, rgb]) => [name, `rgb(${rgb.join(' ')})`])),
    refused,
  };
}

const placesIn = (boxes: readonly Box[]): ReadonlyMap<string, string> =>
  new Map(boxes.flatMap(({ name, applications }) => applications.map((application) => [application, name] as const)));

/**
 * What is sent to make `boxes` of what `before` was: of the applications only those that have another place, for what the page does not
 * claim to know stays where it is. So two pages that move something at the same time take nothing from each other.
 */
export function sentOf(before: readonly Box[], boxes: readonly Box[]): RequestInputOf<typeof modifyapplicationcatinfo> {
  const [places, after] = [placesIn(before), placesIn(boxes)];
  const hasMoved = (application: string): boolean => places.get(application) !== after.get(application);
  return {
    keys: Object.fromEntries(boxes.map(({ name, keys }) => [name, keys])),
    cats: Object.fromEntries(boxes.map(({ name, applications }) => [name, applications.filter(hasMoved)])),
    known: [...places.keys()].filter(hasMoved),
    knownCategories: before.map(({ name }) => name),
  };
}
