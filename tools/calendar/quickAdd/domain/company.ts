import type { FoundPart, Neighbours, LinePart } from './lineScanner.ts';

/** What may stand between two stretches that belong together. */
const GAP = /^[\s,;:()–—-]*(?:(?:on|at|from|by|for|starting|beginning)\s+)?(?:the\s+)?[\s(]*$/iu;
const BEFORE_ALL = /^[\s,;:("–—-]*$/u;
const BEHIND_ALL = /^[\s,.;:!?)"–—-]*$/u;

const kindsOf = (part: LinePart): readonly LinePart['kind'][] => {
  if (part.kind === 'either') return part.options.flatMap((option) => (option ? kindsOf(option) : []));
  if (part.kind === 'wait') return ['wait', 'date', 'time'];
  return part.kind === 'stretch' ? ['stretch', 'span', 'date', 'time'] : [part.kind];
};

const neighboursOf = (
  line: string,
  { start, end }: { readonly start: number; readonly end: number },
  [before, behind]: readonly [readonly FoundPart[], readonly FoundPart[]],
): Neighbours => {
  const left = before.at(-1);
  const [right] = behind;
  const said = new Set([...before, ...behind].flatMap(({ part }) => kindsOf(part)));
  return {
    left: left && GAP.test(line.slice(left.end, start)) ? left : undefined,
    right: right && right.part.kind !== 'name' && GAP.test(line.slice(end, right.start)) ? right : undefined,
    isFirst: BEFORE_ALL.test(line.slice(0, start)),
    isLast: BEHIND_ALL.test(line.slice(end)),
    has: (...kinds) => kinds.some((kind) => said.has(kind)),
  };
};

const isDefined = (each: FoundPart | undefined): each is FoundPart => each !== undefined;

/** The stretches with the meaning that each 'maybe' has among the others; without one it is left out. */
export const settled = (line: string, found: readonly FoundPart[]): readonly FoundPart[] => {
  const kept = found.map((each) => (each.part.kind === 'maybe' ? undefined : each));
  const settle = (index: number, behind: readonly FoundPart[]): void => {
    const each = found[index];
    if (kept[index] || each?.part.kind !== 'maybe') return;
    const before = kept.slice(0, index).filter(isDefined);
    const option = each.part.options.find(({ end, fits }) =>
      fits(neighboursOf(line, { start: each.start, end }, [before, behind])),
    );
    kept[index] = option && { ...each, end: option.end, part: option.part };
  };
  for (const index of found.keys()) settle(index, found.slice(index + 1));
  // A length may stand before what settles it: 'meeting 15 mins tomorrow 10'.
  for (const index of found.keys()) settle(index, kept.slice(index + 1).filter(isDefined));
  return kept.filter(isDefined);
};
