// A text as macOS takes it: strings for one event each, and presses of the keys that programs expect for line breaks.

/** `CGEventKeyboardSetUnicodeString` silently cuts longer strings. */
export const MAX_UNITS_PER_EVENT = 20;

export type TextPart =
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'key'; readonly key: string };

const KEY_BY_CONTROL: Readonly<Record<string, string>> = { '\n': 'Enter', '\t': 'Tab', '\b': 'Backspace' };

/** Whether no key and no event can type a character: other control characters and lone surrogates. */
const isUntypable = (character: string): boolean =>
  (/^[\p{Cc}\p{Cs}]$/u.test(character) && !Object.hasOwn(KEY_BY_CONTROL, character)) || character === '';

let segmenter: Intl.Segmenter | undefined;

/** Splits into characters as people see them. One that is too long for an event is split into its code points. */
function listCharacters(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment).flatMap((segment) =>
    segment.length <= MAX_UNITS_PER_EVENT ? [segment] : Array.from(segment),
  );
}

/** Splits a text without control characters. */
function splitString(text: string): readonly string[] {
  const strings: string[] = [];
  let current = '';
  for (const character of listCharacters(text)) {
    if (current.length + character.length > MAX_UNITS_PER_EVENT) {
      strings.push(current);
      current = '';
    }
    current += character;
  }
  return current === '' ? strings : [...strings, current];
}

/** What is typed of a text, and which characters can't be. */
export interface SplitText {
  readonly parts: readonly TextPart[];
  readonly dropped: readonly string[];
}

/** Splits a text into events. Line breaks of all systems become one press of Return. */
export function splitText(text: string): SplitText {
  const characters = Array.from(text.replaceAll(/\r\n?/g, '\n'));
  const typable = characters.filter((character) => !isUntypable(character)).join('');
  return {
    parts: typable
      .split(/([\n\t\b])/)
      .filter((piece) => piece !== '')
      .flatMap((piece): readonly TextPart[] => {
        const key = KEY_BY_CONTROL[piece];
        return key === undefined
          ? splitString(piece).map((string) => ({ kind: 'string', text: string }))
          : [{ kind: 'key', key }];
      }),
    dropped: characters.filter(isUntypable),
  };
}
