/** An answer, separated from the reasoning of its model. */
export interface SeparatedAnswer {
  readonly thoughts: string;
  readonly text: string;
}

const NAMES =
  'think|thinking|thought|thoughts|reason|reasoning|seed:think|mm:think|ant_thinking|scratchpad|inner_monologue'.split(
    '|',
  );

/** Marks of reasoning inside an answer. An opening mark counts at the start of a line only. */
const MARKS: readonly { readonly opening: string; readonly closing: string; readonly start: readonly string[] }[] = [
  ...NAMES.map((name) => ({
    opening: String.raw`<${name}(?:\s[^<>\n]*)?(?<!/)>`,
    closing: String.raw`</${name}\s*>`,
    start: [`<${name}>`],
  })),
  { opening: String.raw`\[THINK(?:ING)?\]`, closing: String.raw`\[/THINK(?:ING)?\]`, start: ['[think]', '[thinking]'] },
  { opening: String.raw`<\|thinking\|>`, closing: String.raw`<\|/thinking\|>`, start: ['<|thinking|>'] },
  { opening: '◁think▷', closing: '◁/think▷', start: ['◁think▷'] },
  {
    opening: String.raw`<[|｜]begin[_▁]of[_▁](?:thought|thinking)[|｜]>`,
    closing: String.raw`<[|｜]end[_▁]of[_▁](?:thought|thinking)[|｜]>`,
    start: ['<|begin_of_thought|>', '<｜begin▁of▁thinking｜>'],
  },
  {
    opening: String.raw`(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<\n]*<\|message\|>`,
    closing: String.raw`<\|end\|>|(?=<\|start\|>|<\|channel\|>)`,
    start: ['<|channel|>analysis<|message|>', '<|start|>assistant<|channel|>analysis<|message|>'],
  },
];
const OPENING = new RegExp(String.raw`^[ \t]*(?:${MARKS.map(({ opening }) => `(${opening})`).join('|')})`, 'gim');
const CLOSING = MARKS.slice(0, -1)
  .map(({ closing }) => closing)
  .join('|');
/**
 * A closing mark alone on its line. Some chat templates put the opening mark into the prompt, so only this one is in
 * the answer.
 */
const LONE_CLOSING = new RegExp(String.raw`^[ \t]*(?:${CLOSING})[ \t]*$`, 'im');
/** A closing mark directly beside a word. Between blanks, quotes or punctuation the answer only mentions it. */
const JOINED_CLOSING = new RegExp(
  String.raw`(?:(?<=[^\s\`'"“‘(,])|(?<=[.!?…][ \t]+)(?=\S+\s*\n)|^[ \t]*)(?:${CLOSING})(?=[ \t]*\n|[^\s.,;:!?)\`'"”’])`,
  'im',
);

/** Marks around the answer itself, which some models add after their reasoning. */
const ANSWER_MARKS = [
  ...['answer', 'final_answer', 'final', 'output', 'response'].map(
    (name) => new RegExp(String.raw`^\s*<${name}>([\s\S]*?)(?:</${name}>\s*)?$`, 'i'),
  ),
  /^\s*<\|begin_of_solution\|>([\s\S]*?)(?:<\|end_of_solution\|>\s*)?$/,
  /^\s*(?:<\|start\|>assistant)?<\|channel\|>final[^<\n]*<\|message\|>([\s\S]*?)(?:<\|(?:return|end)\|>\s*)?$/,
];

const withoutAnswerMarks = (text: string): string => {
  const inside = ANSWER_MARKS.map((mark) => mark.exec(text)?.[1]).find((found) => found !== undefined);
  return inside === undefined ? text : inside.trim();
};

const isInCodeBlock = (before: string): boolean => (before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;

const join = (parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');

const OTHER_CLOSING = new RegExp(`</(?:${NAMES.join('|')})\\s*>`, 'i');

/** Finds the mark that closes a block. `inside` is the text after its opening mark; blocks can be nested. */
const findClosing = ({ opening, closing }: (typeof MARKS)[number], inside: string): RegExpExecArray | undefined => {
  let depth = 1;
  let first: RegExpExecArray | undefined;
  for (const mark of inside.matchAll(new RegExp(`(${opening})|${closing}`, 'gi'))) {
    depth += mark[1] === undefined ? -1 : 1;
    if (mark[1] === undefined) first ??= mark;
    if (depth === 0) return mark;
  }
  // Reasoning may mention its own mark, and some models close with another name than they opened with.
  return first ?? OTHER_CLOSING.exec(inside) ?? undefined;
};

/** Cuts all marked blocks out of a text. A block without a closing mark counts only at the start of the answer. */
const cutBlocks = (text: string): SeparatedAnswer => {
  const thoughts: string[] = [];
  let rest = text;
  let from = 0;
  for (;;) {
    OPENING.lastIndex = from;
    const opening = OPENING.exec(rest);
    if (!opening) break;
    const before = rest.slice(0, opening.index);
    const inside = rest.slice(opening.index + opening[0].length);
    const mark = MARKS[opening.slice(1).findIndex((found) => found !== undefined)];
    const closing = mark && findClosing(mark, inside);
    const isStart = before.trim() === '';
    from = opening.index + opening[0].length;
    if ((!closing && !isStart) || isInCodeBlock(before)) continue;
    thoughts.push(closing ? inside.slice(0, closing.index) : inside);
    const after = closing ? inside.slice(closing.index + closing[0].length) : '';
    rest = isStart ? after.trimStart() : before + after;
    from = isStart ? 0 : before.length;
  }
  return { thoughts: join(thoughts), text: rest };
};

const findLoneClosing = (text: string): RegExpExecArray | null => {
  const lone = LONE_CLOSING.exec(text);
  if (lone) return lone;
  const joined = JOINED_CLOSING.exec(text);
  const before = text.slice(0, joined?.index);
  // An answer that also names the opening mark is about both.
  return MARKS.some(({ opening }) => new RegExp(opening, 'i').test(before)) ? null : joined;
};

/** Separates reasoning that a model marked inside its answer (`<think>…</think>`) from the answer. */
export function separateThoughts(text: string): SeparatedAnswer {
  const cut = cutBlocks(text);
  const lone = findLoneClosing(cut.text);
  const isLone = lone !== null && !isInCodeBlock(cut.text.slice(0, lone.index));
  const thoughts = isLone ? join([cut.text.slice(0, lone.index), cut.thoughts]) : cut.thoughts;
  const answer = isLone ? cut.text.slice(lone.index + lone[0].length).trimStart() : cut.text;
  const isMarked = isLone || cut.text !== text || answer.startsWith('<|channel|>final');
  return { thoughts, text: isMarked ? withoutAnswerMarks(answer) : answer };
}

/** Returns whether a running answer may be about to open a block: the text so far is the prefix of a tag. */
export function isOpeningTagPrefix(text: string): boolean {
  const written = text.trim().toLowerCase();
  return written !== '' && MARKS.some(({ start }) => start.some((mark) => mark.startsWith(written)));
}
