import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { groupBy } from '#platform/contract/groupBy.ts';
import { CATALOGUE, fold } from '../../domain/itemNames.ts';
import { LIMITS } from '../../domain/list.ts';
import styles from './EmojiPicker.module.css';

// Not with Intl.Segmenter, which older browsers lack.
// Matches flags, keycaps, and pictures with skin tone, tags and joiners.
const PICTURE = String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}\u20E3\u{E0020}-\u{E007F}]*`;
const EMOJI = new RegExp(
  String.raw`\p{Regional_Indicator}{1,2}|[0-9#*]\uFE0F?\u20E3|${PICTURE}(?:\u200D${PICTURE})*`,
  'gu',
);

/** Returns the first emoji of a text, complete with skin tone and joined emoji. */
export function findEmoji(text: string): string | undefined {
  for (const [emoji] of text.matchAll(EMOJI)) if (Array.from(emoji).length <= LIMITS.emoji) return emoji;
  return undefined;
}

/** Emoji for things that are not groceries. */
const OTHER_EMOJI = '❓ ⭐ ❤️ ✅ 📌 🛒 🛍️ 📦 🏠 🔧 🚗 👕 👟 📚 🎮 💻 📱 🎉 🏕️ ✈️'.split(' ');
const COLUMNS = 7;

interface EmojiOption {
  readonly emoji: string;
  readonly names: readonly string[];
}

const thingsByEmoji = groupBy(CATALOGUE, ({ emoji }) => emoji);
const ALL_OPTIONS: readonly EmojiOption[] = [
  ...[...thingsByEmoji].map(([emoji, things]) => ({ emoji, names: things.map(({ name }) => name) })),
  ...OTHER_EMOJI.filter((emoji) => !thingsByEmoji.has(emoji)).map((emoji) => ({ emoji, names: [] })),
];

/** Selects an emoji from a grid, by the name of a thing, or by typing it. */
export function EmojiPicker({ onSelect }: { readonly onSelect: (emoji: string) => void }) {
  const grid = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  // The picker can be rendered later than its popup, so it focuses its own field.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const typedEmoji = findEmoji(text);
  const matches = ALL_OPTIONS.filter(
    ({ names }) => text.trim() === '' || names.some((name) => fold(name).includes(fold(text))),
  );
  const visibleOptions: readonly EmojiOption[] =
    typedEmoji === undefined ? matches : [{ emoji: typedEmoji, names: [] }];

  function handleArrowKeys(event: KeyboardEvent): void {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS } as const;
    const step = Object.hasOwn(steps, event.key) ? steps[event.key as keyof typeof steps] : undefined;
    const buttons = [...(grid.current?.querySelectorAll('button') ?? [])];
    const index = buttons.findIndex((button) => button === document.activeElement);
    if (step === undefined || (index === -1 && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    buttons[index === -1 ? 0 : Math.min(buttons.length - 1, Math.max(0, index + step))]?.focus();
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys of its field and buttons
    <div onKeyDown={handleArrowKeys}>
      <input
        ref={field}
        className={styles['field']}
        aria-label="Find or type an emoji"
        placeholder="Find or type an emoji"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = visibleOptions;
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || text.trim() === '' || !first) return;
          event.preventDefault();
          onSelect(first.emoji);
        }}
      />
      <div ref={grid} className={styles['grid']} role="group" aria-label="Emoji">
        {visibleOptions.map(({ emoji, names }) => (
          <button
            key={emoji}
            type="button"
            title={names[0]}
            aria-label={names[0] === undefined ? emoji : `${emoji} ${names[0]}`}
            onClick={() => onSelect(emoji)}
          >
            {emoji}
          </button>
        ))}
      </div>
      {visibleOptions.length === 0 && (
        <p className={styles['noMatches']}>No emoji match. You can also type or paste one here</p>
      )}
    </div>
  );
}
