import { styleOf, type DayPattern } from './event.ts';

/** Given by style and state, and taken off by them alone; in the order in which they are shown. */
export const BUILT_IN_TAGS = ['Repeat', 'Duration', 'Pinned'] as const;
/** The chip that asks for a tag; no tag of an event. */
export const PLACEHOLDER_TAG = 'CLICK TO CHANGE TAG';

/** Colour of the built-in tags and of the placeholder. */
export const BUILT_IN_COLOUR = '#666673';
export const PLACEHOLDER_COLOUR = '#B7791F';

export type BuiltInTag = (typeof BUILT_IN_TAGS)[number];

/** No name of a user's tag. */
export const isReservedTag = (name: string): boolean =>
  name === PLACEHOLDER_TAG || BUILT_IN_TAGS.some((builtIn) => builtIn === name);

export const builtInTagsOf = ({
  pattern,
  pinned,
}: {
  readonly pattern: Pick<DayPattern, 'kind'>;
  readonly pinned: string | undefined;
}): readonly BuiltInTag[] => [
  ...(styleOf(pattern) === 'repeat' ? (['Repeat'] as const) : []),
  ...(pattern.kind === 'duration' ? (['Duration'] as const) : []),
  ...(pinned === undefined ? [] : (['Pinned'] as const)),
];

interface SubscribedTag {
  readonly id: number;
  readonly name: string;
  readonly colour: string;
}

/** Each subscribed calendar is a tag of its events. The tag's name has no comma and is nobody else's: a second one is counted. `title` is the calendar's. */
export const subscriptionTags = (
  subscriptions: readonly SubscribedTag[],
  own: readonly string[],
): readonly (SubscribedTag & { readonly title: string })[] => {
  const taken = new Set(own);
  return subscriptions.map(({ id, name, colour }) => {
    const plain = name.replaceAll(',', ' ').replaceAll(/\s+/g, ' ').trim() || 'Subscription';
    let free = plain;
    for (let count = 2; taken.has(free) || isReservedTag(free); count += 1) free = `${plain} (${count})`;
    taken.add(free);
    return { id, name: free, colour, title: name };
  });
};
