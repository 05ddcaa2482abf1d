import { migrateDrafts, useDraft as useAccountDraft } from '#platform/web/app/drafts.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const FORMER = 'messages.drafts';
const keyOf = (target: string): string => `messages ${target}`;

/** Texts by target, of one object. */
const formerTexts = (kept: string | undefined): readonly (readonly [target: string, text: string])[] => {
  try {
    const texts: unknown = JSON.parse(kept ?? '{}');
    return Object.entries(texts ?? {}).flatMap(([target, text]: [string, unknown]) =>
      typeof text === 'string' && text !== '' ? [[target, text] as const] : [],
    );
  } catch {
    return []; // Written by nobody of ours.
  }
};

migrateDrafts(() => {
  const kept = browserStorage.get(FORMER);
  if (kept !== undefined) browserStorage.removeByPrefix(FORMER);
  return Object.fromEntries(formerTexts(kept).map(([target, text]) => [keyOf(target), text]));
});

/** The text field of a conversation, or of none ('' as the target): it is there again after a reload. */
export const useDraft = (target: string) => useAccountDraft(keyOf(target), { isPersistent: true });
