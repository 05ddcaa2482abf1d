/** An answer apart from what its model thought on the way. */
export interface SeparatedAnswer {
  readonly thoughts: string;
  readonly text: string;
}

/** How models mark thoughts within an answer; a tag counts at the start of a line only. */
const OPENING_TAG = /^[ \t]*(?:<(?<name>think|thinking|thought|reason|reasoning)>|◁think▷)/gim;
const TAG_NAMES = ['<thinking>', '<thought>', '<reasoning>', '◁think▷'];
const closingTag = (name: string): RegExp => new RegExp(`</(?:${name})>|◁/think▷`, 'i');
/** Some chat templates put the opening tag into the prompt, so that an answer has the closing one only, on a line of its own. */
const LONE_CLOSING_TAG = /^[ \t]*(?:<\/(?:think|thinking|thought|reason|reasoning)>|◁\/think▷)[ \t]*$/im;

const isInCodeBlock = (before: string): boolean => (before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;

const join = (parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');

/** Cuts every marked block out of `text`. A block without an end counts only where the answer starts with it. */
const cutBlocks = (text: string): SeparatedAnswer => {
  const thoughts: string[] = [];
  let rest = text;
  let from = 0;
  for (;;) {
    OPENING_TAG.lastIndex = from;
    const opening = OPENING_TAG.exec(rest);
    if (!opening) break;
    const before = rest.slice(0, opening.index);
    const inside = rest.slice(opening.index + opening[0].length);
    const closing = closingTag(opening.groups?.['name'] ?? 'think').exec(inside);
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

/** Separates the thoughts that a model marked within its answer (`<think>…</think>`) from the answer. */
export function separateThoughts(text: string): SeparatedAnswer {
  const cut = cutBlocks(text);
  const lone = LONE_CLOSING_TAG.exec(cut.text);
  if (!lone || isInCodeBlock(cut.text.slice(0, lone.index))) return cut;
  return {
    thoughts: join([cut.text.slice(0, lone.index), cut.thoughts]),
    text: cut.text.slice(lone.index + lone[0].length).trimStart(),
  };
}

/** Whether a running answer may be about to open a block: what came so far is the start of a tag. */
export function isOpeningTagPrefix(text: string): boolean {
  const start = text.trim().toLowerCase();
  return start !== '' && TAG_NAMES.some((tag) => tag.startsWith(start));
}
