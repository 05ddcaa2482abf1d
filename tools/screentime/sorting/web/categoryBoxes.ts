import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import type { applicationcatinfo, modifyapplicationcatinfo } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { NO_KEYS } from '../domain/category.ts';
import type { Box } from '../domain/categoryBoard.ts';

type Data = AnswerOf<typeof applicationcatinfo>['data'];

/** Categories as stored on the server. */
export interface CategoryBoxes {
  /** Unassigned is always there, and last. */
  readonly boxes: readonly Box[];
  /** CSS colours by application. */
  readonly colours: ReadonlyMap<string, string>;
  /** Hotkeys that a computer could not register. */
  readonly refused: Data['refused'];
}

const getOwn = <Value>(map: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

export function toCategoryBoxes({ keys, cats, apps, refused }: Data): CategoryBoxes {
  const named = Object.keys(cats).filter((name) => name !== UNASSIGNED);
  return {
    boxes: [...named, UNASSIGNED].map((name) => ({
      name,
      keys: getOwn(keys, name) ?? NO_KEYS,
      applications: getOwn(cats, name) ?? [],
    })),
    colours: new Map(Object.entries(apps).map(([name, rgb]) => [name, `rgb(${rgb.join(' ')})`])),
    refused,
  };
}

const mapCategories = (boxes: readonly Box[]): ReadonlyMap<string, string> =>
  new Map(boxes.flatMap(({ name, applications }) => applications.map((application) => [application, name] as const)));

/**
 * Builds the request that turns `before` into `boxes`. It lists moved applications only, because unlisted unknown ones
 * stay: so two pages don't undo each other's moves.
 */
export function toRequest(
  before: readonly Box[],
  boxes: readonly Box[],
): RequestInputOf<typeof modifyapplicationcatinfo> {
  const [categoryBefore, categoryAfter] = [mapCategories(before), mapCategories(boxes)];
  const hasMoved = (application: string): boolean => categoryBefore.get(application) !== categoryAfter.get(application);
  return {
    keys: Object.fromEntries(boxes.map(({ name, keys }) => [name, keys])),
    cats: Object.fromEntries(boxes.map(({ name, applications }) => [name, applications.filter(hasMoved)])),
    known: [...categoryBefore.keys()].filter(hasMoved),
    knownCategories: before.map(({ name }) => name),
  };
}
