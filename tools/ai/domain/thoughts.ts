/** An answer, separated from the reasoning of its model. */
export interface SeparatedAnswer {
  readonly thoughts: string;
  readonly text: string;
}

const TAG_NAMES =
  'think|thinking|thought|thoughts|reason|reasoning|seed:think|mm:think|ant_thinking|scratchpad|inner_monologue'.split(
    '|',
  );

/** Marks around reasoning inside an answer. An opening mark counts only at the start of a line. */
const THOUGHT_MARKS: readonly {
  readonly opening: string;
  readonly closing: string;
  readonly prefixes: readonly string[];
}[] = [
  ...TAG_NAMES.map((name) => ({
    opening: String.raw`<${name}(?:\s[^<>\n]*)?(?<!/)>`,
    closing: String.raw`</${name}\s*>`,
    prefixes: [`<${name}>`],
  })),
  {
    opening: String.raw`\[THINK(?:ING)?\]`,
    closing: String.raw`\[/THINK(?:ING)?\]`,
    prefixes: ['[think]', '[thinking]'],
  },
  { opening: String.raw`<\|thinking\|>`, closing: String.raw`<\|/thinking\|>`, prefixes: ['<|thinking|>'] },
  { opening: '◁think▷', closing: '◁/think▷', prefixes: ['◁think▷'] },
  {
    opening: String.raw`<[|｜]begin[_▁]of[_▁](?:thought|thinking)[|｜]>`,
    closing: String.raw`<[|｜]end[_▁]of[_▁](?:thought|thinking)[|｜]>`,
    prefixes: ['<|begin_of_thought|>', '<｜begin▁of▁thinking｜>'],
  },
  {
    opening: String.raw`(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<\n]*<\|message\|>`,
    closing: String.raw`<\|end\|>|(?=<\|start\|>|<\|channel\|>)`,
    prefixes: ['<|channel|>analysis<|message|>', '<|start|>assistant<|channel|>analysis<|message|>'],
  },
];
const OPENING_PATTERN = new RegExp(
  String.raw`^[ \t]*(?:${THOUGHT_MARKS.map(({ opening }) => `(${opening})`).join('|')})`,
  'gim',
);
const CLOSING_SOURCE = THOUGHT_MARKS.slice(0, -1)
  .map(({ closing }) => closing)
  .join('|');
/** A closing mark alone on its line: some chat templates put the opening mark into the prompt, not into the answer. */
const LONE_CLOSING_PATTERN = new RegExp(String.raw`^[ \t]*(?:${CLOSING_SOURCE})[ \t]*$`, 'im');
/** A closing mark directly next to a word. Between blanks, quotes or punctuation the answer only mentions it. */
const JOINED_CLOSING_PATTERN = new RegExp(
  String.raw`(?:(?<=[^\s\`'"“‘(,])|(?<=[.!?…][ \t]+)(?=\S+\s*\n)|^[ \t]*)(?:${CLOSING_SOURCE})(?=[ \t]*\n|[^\s.,;:!?)\`'"”’])`,
  'im',
);

/** Marks around the answer itself, which some models add after their reasoning. */
const ANSWER_PATTERNS = [
  ...['answer', 'final_answer', 'final', 'output', 'response'].map(
    (name) => new RegExp(String.raw`^\s*<${name}>([\s\S]*?)(?:</${name}>\s*)?$`, 'i'),
  ),
  /^\s*<\|begin_of_solution\|>([\s\S]*?)(?:<\|end_of_solution\|>\s*)?$/,
  /^\s*(?:<\|start\|>assistant)?<\|channel\|>final[^<\n]*<\|message\|>([\s\S]*?)(?:<\|(?:return|end)\|>\s*)?$/,
];

function removeAnswerMarks(text: string): string {
  const blockText = ANSWER_PATTERNS.map((pattern) => pattern.exec(text)?.[1]).find((match) => match !== undefined);
  return blockText === undefined ? text : blockText.trim();
}

const isInCodeBlock = (before: string): boolean => (before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;

const joinParagraphs = (parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');

const ANY_CLOSING_PATTERN = new RegExp(`</(?:${TAG_NAMES.join('|')})\\s*>`, 'i');

/** Finds the mark that closes a block in the text after its opening mark. Blocks can be nested. */
function findClosing(
  { opening, closing }: (typeof THOUGHT_MARKS)[number],
  blockText: string,
): RegExpExecArray | undefined {
  let depth = 1;
  let firstClosing: RegExpExecArray | undefined;
  for (const mark of blockText.matchAll(new RegExp(`(${opening})|${closing}`, 'gi'))) {
    depth += mark[1] === undefined ? -1 : 1;
    if (mark[1] === undefined) firstClosing ??= mark;
    if (depth === 0) return mark;
  }
  // Reasoning may mention its own mark, and some models use another name in the closing mark.
  return firstClosing ?? ANY_CLOSING_PATTERN.exec(blockText) ?? undefined;
}

/** Extracts all marked blocks from a text. A block without a closing mark counts only at the start of the answer. */
function extractBlocks(text: string): SeparatedAnswer {
  const thoughts: string[] = [];
  let rest = text;
  let searchStart = 0;
  for (;;) {
    OPENING_PATTERN.lastIndex = searchStart;
    const opening = OPENING_PATTERN.exec(rest);
    if (!opening) break;
    const before = rest.slice(0, opening.index);
    const blockText = rest.slice(opening.index + opening[0].length);
    const mark = THOUGHT_MARKS[opening.slice(1).findIndex((match) => match !== undefined)];
    const closing = mark && findClosing(mark, blockText);
    const isStart = before.trim() === '';
    searchStart = opening.index + opening[0].length;
    if ((!closing && !isStart) || isInCodeBlock(before)) continue;
    thoughts.push(closing ? blockText.slice(0, closing.index) : blockText);
    const after = closing ? blockText.slice(closing.index + closing[0].length) : '';
    rest = isStart ? after.trimStart() : before + after;
    searchStart = isStart ? 0 : before.length;
  }
  return { thoughts: joinParagraphs(thoughts), text: rest };
}

function findLoneClosing(text: string): RegExpExecArray | null {
  const closing = LONE_CLOSING_PATTERN.exec(text);
  if (closing) return closing;
  const joined = JOINED_CLOSING_PATTERN.exec(text);
  const before = text.slice(0, joined?.index);
  // An answer that also contains the opening mark only mentions both.
  return THOUGHT_MARKS.some(({ opening }) => new RegExp(opening, 'i').test(before)) ? null : joined;
}

/** Separates reasoning that a model marked inside its answer (`<think>…</think>`) from the answer. */
export function separateThoughts(text: string): SeparatedAnswer {
  const extracted = extractBlocks(text);
  const closing = findLoneClosing(extracted.text);
  const isClosed = closing !== null && !isInCodeBlock(extracted.text.slice(0, closing.index));
  const thoughts = isClosed
    ? joinParagraphs([extracted.text.slice(0, closing.index), extracted.thoughts])
    : extracted.thoughts;
  const answer = isClosed ? extracted.text.slice(closing.index + closing[0].length).trimStart() : extracted.text;
  const hasMarks = isClosed || extracted.text !== text || answer.startsWith('<|channel|>final');
  return { thoughts, text: hasMarks ? removeAnswerMarks(answer) : answer };
}

/** Returns whether a running answer may become a block: its text so far is the prefix of an opening mark. */
export function isOpeningTagPrefix(text: string): boolean {
  const prefix = text.trim().toLowerCase();
  return prefix !== '' && THOUGHT_MARKS.some(({ prefixes }) => prefixes.some((mark) => mark.startsWith(prefix)));
}
