import { remember, useRemembered } from '#platform/web/remember.ts';

/** What stands in the text field, by target: it is there again after a reload. */
const KEY = 'messages.drafts';

type Drafts = Readonly<Record<string, string>>;

const read = (kept: string | undefined): Drafts => {
  try {
    const drafts: unknown = JSON.parse(kept ?? '{}');
    return typeof drafts === 'object' && drafts !== null ? (drafts as Drafts) : {};
  } catch {
    return {}; // Written by nobody of ours.
  }
};

/** The text field of a conversation, or of none ('' as the target). */
export const useDraft = (target: string): readonly [string, (text: string) => void] => {
  const [kept] = useRemembered(KEY);
  const set = (text: string): void => {
    const { [target]: _before, ...others } = read(remember.get(KEY));
    remember.set(KEY, JSON.stringify(text === '' ? others : { ...others, [target]: text }));
  };
  return [read(kept)[target] ?? '', set];
};
