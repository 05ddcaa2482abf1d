import { Lexer } from 'marked';
import remend from 'remend';

/** A part of a markdown text that is drawn by itself. `plain` is shown as it stands: drawing it as markdown would take too long. */
export interface Block {
  readonly raw: string;
  readonly plain: boolean;
}

/** A text cut into blocks, kept so that a longer text starts from there. */
export interface Blocks {
  readonly text: string;
  readonly blocks: readonly Block[];
}

const MAX_CHARACTERS = 20_000;
const DEEPEST = 20;
/** Marks that begin or end something inside a line: pairing them takes the square of their number. */
const MARKS = /[*_~`[\]<&@!]/g;
const MAX_MARKS = 3000;
const MAX_MARKS_PER_LINE = 300;
/** What stands before the text of a line that lies in quotes and lists. */
const NESTING = /^(?:[ \t]*(?:>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/;

const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

const depthOf = (line: string): number => {
  if (RULE.test(line)) return 0;
  const nesting = NESTING.exec(line)?.[0] ?? '';
  return nesting.replaceAll(/[ \t\d]/g, '').length + (/^[ \t]*/.exec(nesting)?.[0].length ?? 0) / 2;
};
const marksOf = (text: string): number => text.match(MARKS)?.length ?? 0;
const isCode = (raw: string): boolean => /^ {0,3}(?:```|~~~)/.test(raw);

const isTooMuch = (raw: string): boolean =>
  raw.length > MAX_CHARACTERS ||
  marksOf(raw) > MAX_MARKS ||
  raw.split('\n').some((line) => depthOf(line) > DEEPEST || marksOf(line) > MAX_MARKS_PER_LINE);

const isDeep = (text: string): boolean => text.split('\n').some((line) => depthOf(line) > DEEPEST);

/** Blocks of a text. The lexer's inline half is left out: nobody needs it, and it takes the square of some texts' length. */
const cut = (text: string): readonly Block[] => {
  // It calls itself for every level, and the stack is finite.
  if (isDeep(text) && !isCode(text)) return [{ raw: text, plain: true }];
  return new Lexer().blockTokens(text, []).map(({ raw }) => ({ raw, plain: !isCode(raw) && isTooMuch(raw) }));
};

/** Cuts a markdown text into blocks; of one that has grown since `before`, only what its end can have changed. */
export function blocksOf(text: string, before?: Blocks): Blocks {
  const known = before !== undefined && text.startsWith(before.text) ? before.blocks : [];
  // The last block may go on, and blank lines behind it may turn out to be inside it.
  const settled = known.slice(
    0,
    Math.max(
      0,
      known.findLastIndex(({ raw }) => raw.trim() !== ''),
    ),
  );
  const length = settled.reduce((sum, { raw }) => sum + raw.length, 0);
  return { text, blocks: [...settled, ...cut(text.replaceAll(/\r\n?/g, '\n').slice(length))] };
}

/** The end of a text that is still being written, with what it has opened closed. */
export function closed(raw: string): string {
  return remend(raw);
}
