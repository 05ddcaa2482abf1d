import { Lexer } from 'marked';
import remend from 'remend';

/**
 * A block of markdown that is rendered on its own. `plain` blocks are shown as text, because rendering would take too
 * long.
 */
export interface Block {
  readonly raw: string;
  readonly plain: boolean;
}

/** A text and its blocks, so that a longer text can continue from here. */
export interface Blocks {
  readonly text: string;
  readonly blocks: readonly Block[];
}

const MAX_CHARACTERS = 20_000;
const DEEPEST = 20;
/** Inline marks. Pairing them takes quadratic time. */
const MARKS = /[*_~`[\]<&@!]/g;
const MAX_MARKS = 3000;
const MAX_MARKS_PER_LINE = 300;
/** Quote and list marks at the start of a line. */
const NESTING = /^(?:[ \t]*(?:>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/;

const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

const measureDepth = (line: string): number => {
  if (RULE.test(line)) return 0;
  const nesting = NESTING.exec(line)?.[0] ?? '';
  return nesting.replaceAll(/[ \t\d]/g, '').length + (/^[ \t]*/.exec(nesting)?.[0].length ?? 0) / 2;
};
const countMarks = (text: string): number => text.match(MARKS)?.length ?? 0;
const isCode = (raw: string): boolean => /^ {0,3}(?:```|~~~)/.test(raw);

const isTooComplex = (raw: string): boolean =>
  raw.length > MAX_CHARACTERS ||
  countMarks(raw) > MAX_MARKS ||
  raw.split('\n').some((line) => measureDepth(line) > DEEPEST || countMarks(line) > MAX_MARKS_PER_LINE);

const isDeep = (text: string): boolean => text.split('\n').some((line) => measureDepth(line) > DEEPEST);

/** Splits a text into blocks. Skips the lexer's inline pass: it is unused and quadratic for some texts. */
const splitBlocks = (text: string): readonly Block[] => {
  // The lexer recurses for each level, and could overflow the stack.
  if (isDeep(text) && !isCode(text)) return [{ raw: text, plain: true }];
  return new Lexer().blockTokens(text, []).map(({ raw }) => ({ raw, plain: !isCode(raw) && isTooComplex(raw) }));
};

/** Splits markdown into blocks. If the text continues `before`, only blocks at its end are lexed again. */
export function blocksOf(text: string, before?: Blocks): Blocks {
  const reusable = before !== undefined && text.startsWith(before.text) ? before.blocks : [];
  // The last block may continue, and blank lines after it may turn out to be part of it.
  const settled = reusable.slice(
    0,
    Math.max(
      0,
      reusable.findLastIndex(({ raw }) => raw.trim() !== ''),
    ),
  );
  const length = settled.reduce((sum, { raw }) => sum + raw.length, 0);
  return { text, blocks: [...settled, ...splitBlocks(text.replaceAll(/\r\n?/g, '\n').slice(length))] };
}

/** Closes open markup at the end of a text that is still being written. */
export function closed(raw: string): string {
  return remend(raw);
}
