import { createParser } from 'eventsource-parser';

/** What a chunk of a chat completion brings. */
export type CompletionPart =
  | { readonly kind: 'text' | 'thoughts'; readonly text: string }
  /** Sent while a model works without output, so that it counts as alive. */
  | { readonly kind: 'sign' }
  /** Why the answer ended; undefined where the AI server did not say. */
  | { readonly kind: 'end'; readonly reason: string | undefined };

/** The AI server reported an error within its answer; `message` is its own. */
export class CompletionError extends Error {
  override readonly name = 'CompletionError';
}

/** The body is no chat completion. */
export class NotACompletion extends Error {
  override readonly name = 'NotACompletion';
}

/** Longer than any answer that is shown: a body that never ends is given up. */
const MAX_JSON_LENGTH = 8_000_000;
const DONE = /^\s*"?\[?(?:done|end|eos)\]?"?\s*$/i;
const LINE_END = /(?<=\r\n|\n|\r(?!\n|$))/;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const ERROR_FIELDS = ['message', 'error', 'detail', 'errors', 'msg', 'error_description', 'reason'] as const;

/** The AI server's own words within an error, in any of the usual shapes; '' where it has none. */
export function errorWords(error: unknown, depth = 4): string {
  if (typeof error === 'string') return error.trim();
  if (!isObject(error) || depth === 0) return '';
  const inner = Array.isArray(error) ? error : ERROR_FIELDS.map((field) => error[field]);
  return inner.map((one) => errorWords(one, depth - 1)).find((words) => words !== '') ?? '';
}

/** Servers send an error as an event of that name, in `error`, or as an object of its own in place of a chunk. */
const isError = (event: string | undefined, chunk: Json): boolean => {
  const kinds = [event, chunk['object'], chunk['type']];
  if (kinds.includes('error')) return true;
  const error = chunk['error'] ?? false;
  // Some servers have an empty one in every chunk.
  if (error !== false && (!('choices' in chunk) || errorWords(error) !== '')) return true;
  return !('choices' in chunk) && !kinds.includes('ping') && errorWords(chunk) !== '';
};

const isWholeEvent = (data: string): boolean => DONE.test(data) || isObject(parseJson(data));

/**
 * Cuts text, which comes in pieces, behind each object or list that is closed; each character is looked at once. What is no JSON is cut by its
 * braces too, and then not understood by whoever reads it.
 */
class JsonCutter {
  private open = '';
  private depth = 0;
  private isText = false;
  private isEscaped = false;

  /** What is not closed yet. */
  get rest(): string {
    return this.open;
  }

  *cut(characters: string): Iterable<string> {
    let start = 0;
    for (let at = 0; at < characters.length; at += 1) {
      if (!this.closes(characters.charAt(at))) continue;
      yield this.open + characters.slice(start, at + 1);
      this.open = '';
      start = at + 1;
    }
    this.open += characters.slice(start);
  }

  /** Takes the next character: whether an outermost object or list ends with it. */
  private closes(character: string): boolean {
    if (this.isText) {
      this.isText = this.isEscaped || character !== '"';
      this.isEscaped = !this.isEscaped && character === '\\';
      return false;
    }
    if (character === '"') this.isText = this.depth > 0;
    if (character === '{' || character === '[') this.depth += 1;
    if (character !== '}' && character !== ']') return false;
    this.depth = Math.max(0, this.depth - 1);
    return this.depth === 0;
  }
}

/** Objects that follow one another, if the whole is not one. */
const splitObjects = (data: string): readonly string[] => {
  if (!data.trimStart().startsWith('{') || parseJson(data) !== undefined) return [data];
  const cutter = new JsonCutter();
  const objects = [...cutter.cut(data)];
  return cutter.rest.trim() === '' && objects.length > 0 ? objects : [...objects, cutter.rest];
};

/** The text of a value in any of the shapes that servers have for one. */
const textWithin = (value: unknown): string => {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(textWithin).join('');
  if (!isObject(value)) return stringOf(value);
  const fields = ['text', 'value', 'content', 'thinking', 'reasoning', 'summary'];
  return fields.map((field) => textWithin(value[field])).find((text) => text !== '') ?? '';
};

/** A content is a text, or a list of typed parts. */
const contentParts = (content: unknown): CompletionPart[] =>
  (Array.isArray(content) ? content : [content]).map((part: unknown): CompletionPart => {
    const isThinking = isObject(part) && (part['type'] === 'thinking' || part['type'] === 'reasoning');
    return { kind: isThinking ? 'thoughts' : 'text', text: textWithin(part) };
  });

const THOUGHTS_FIELDS = [
  'reasoning_content',
  'reasoning',
  'reasoning_text',
  'thinking',
  'thought',
  'thoughts',
  'reasoning_details',
] as const;

/** Servers repeat thoughts in several fields: the first that holds any counts. */
const thoughtsIn = (delta: Json): string =>
  THOUGHTS_FIELDS.map((field) => textWithin(delta[field])).find((text) => text !== '') ?? '';

/** Reads a chat completion that comes as server-sent events, as lines of JSON, or as one JSON object. */
export class CompletionReader {
  private body = '';
  /** Whether a line may end with the body so far. */
  private endsInReturn = false;
  private readonly json = new JsonCutter();
  private mode: 'unknown' | 'events' | 'json' = 'unknown';
  private parts: CompletionPart[] = [];
  private reason: string | undefined;
  private usesTools = false;
  private isDamaged = false;
  private isDone = false;
  private hasChoices = false;
  private isForeign = false;
  /** Everything that was said so far. */
  private said = '';
  /** Whether the current event began with a part of a chunk, whose further lines belong to it. */
  private isOpen = false;
  private readonly events = createParser({
    onEvent: ({ event, data }) => this.readEvent(event, data),
    onComment: () => this.parts.push({ kind: 'sign' }),
  });

  /** Whether the AI server said that nothing follows. */
  get hasEnded(): boolean {
    return this.isDone;
  }

  /** Takes the next characters of the body. @throws CompletionError, NotACompletion behind the parts that came before the fault. */
  *read(characters: string): Iterable<CompletionPart> {
    yield* this.partsOf(() => this.feed(characters));
  }

  /** The body has ended. @throws CompletionError, NotACompletion */
  *end(): Iterable<CompletionPart> {
    yield* this.partsOf(() => {
      if (this.mode === 'events') this.feed('\n\n'); // the last event may lack its blank line
      if (this.mode === 'json' && this.json.rest.trim() !== '') this.readObject(this.json.rest);
      if (this.isForeign && !this.hasChoices) throw new NotACompletion();
    });
    yield { kind: 'end', reason: this.endReason() };
  }

  private *partsOf(step: () => void): Iterable<CompletionPart> {
    let fault: Error | undefined;
    try {
      step();
    } catch (error) {
      fault = error as Error; // nothing else is thrown here
    }
    yield* this.take();
    if (fault) throw fault;
  }

  private take(): readonly CompletionPart[] {
    const parts = this.parts;
    this.parts = [];
    return parts.filter((part) => !('text' in part) || part.text !== '');
  }

  private endReason(): string | undefined {
    if (this.isDamaged) return 'damaged';
    if (this.usesTools) return 'tool_calls';
    return this.reason ?? (this.isDone ? 'stop' : undefined);
  }

  private feed(characters: string): void {
    if (this.mode === 'json') {
      this.readObjects(characters);
      return;
    }
    this.body += characters;
    if (this.mode === 'events') {
      // A long line comes in many pieces: only its end is worth a look at all of them.
      const hasLineEnd = this.endsInReturn || /[\r\n]/.test(characters);
      this.endsInReturn = characters.endsWith('\r');
      if (hasLineEnd) this.feedLines();
      return;
    }
    // Some servers name the wrong content type, so the first character decides.
    if (this.mode === 'unknown') this.mode = modeOf(this.body);
    if (this.mode === 'unknown') return;
    this.body = this.body.replace(/^[\s\u{feff}]+/u, '');
    this.endsInReturn = this.body.endsWith('\r');
    if (this.mode === 'events') this.feedLines();
    else this.readObjects(this.body);
  }

  /** Some servers leave out the blank lines between events, so a line that is a whole chunk ends its event. */
  private feedLines(): void {
    const lines = this.body.split(LINE_END);
    this.body = lines.at(-1)?.endsWith('\n') === true ? '' : (lines.pop() ?? '');
    for (const line of lines) {
      const data = /^data:\s*(.*)/.exec(line)?.[1] ?? '';
      const isWhole = !this.isOpen && isWholeEvent(data);
      this.events.feed(isWhole ? `${line}\n` : line);
      if (line.trim() === '') this.isOpen = false;
      else if (data.startsWith('{')) this.isOpen = !isWhole;
    }
  }

  /** Objects may follow one another, each on a line, or one may stretch over lines. */
  private readObjects(characters: string): void {
    for (const object of this.json.cut(characters)) this.readObject(object);
    if (this.json.rest.length > MAX_JSON_LENGTH) throw new NotACompletion();
  }

  private readObject(text: string): void {
    const value = parseJson(text);
    for (const chunk of Array.isArray(value) ? value : [value]) this.readChunk(undefined, chunk, text);
  }

  private readEvent(event: string | undefined, data: string): void {
    if (parseJson(data) !== undefined) {
      this.readData(event, data);
      return;
    }
    // Some proxies write the field's name twice.
    const lines = data.split('\n').map((line) => line.replace(/^(?:data:\s*)+/, ''));
    for (const part of lines.flatMap(splitObjects)) this.readData(event, part);
  }

  private readData(event: string | undefined, data: string): void {
    if (DONE.test(data)) {
      this.isDone = true;
      return;
    }
    // A ping or another kind of keep-alive holds no chunk.
    if (!data.trimStart().startsWith('{')) {
      if (event === 'error' && data.trim() !== '') throw new CompletionError(errorWords(parseJson(data)) || data);
      this.parts.push({ kind: 'sign' });
      return;
    }
    this.readChunk(event, parseJson(data), data);
  }

  private readChunk(event: string | undefined, chunk: unknown, raw: string): void {
    if (!isObject(chunk)) {
      this.isDamaged ||= raw.trim() !== '';
      return;
    }
    if (isError(event, chunk)) throw new CompletionError(errorWords(chunk));
    const choices = [chunk['choices']].flat().filter(isObject);
    this.hasChoices ||= 'choices' in chunk;
    this.isForeign ||= chunk['type'] !== 'ping' && Object.keys(chunk).length > 0;
    const choice = choices.find(({ index }) => index === undefined || index === null || Number(index) === 0);
    if (choice) this.readChoice(choice);
    else this.parts.push({ kind: 'sign' });
  }

  private readChoice(choice: Json): void {
    if (errorWords(choice['error']) !== '') throw new CompletionError(errorWords(choice['error']));
    const delta = [choice['delta'], choice['message']].find(isObject) ?? {};
    const content = contentParts(delta['content'] ?? choice['text']);
    const text = content.map((part) => ('text' in part && part.kind === 'text' ? part.text : '')).join('');
    // Some servers end a stream with the whole message once more.
    const isLast = delta === choice['message'] && stringOf(choice['finish_reason']) !== '';
    const isRepeated = isLast && text !== '' && text === this.said;
    this.parts.push({ kind: 'sign' });
    if (!isRepeated) {
      this.parts.push({ kind: 'thoughts', text: thoughtsIn(delta) }, ...content);
      this.parts.push({ kind: 'text', text: stringOf(delta['refusal']) });
      this.said += text;
    }
    const calls = delta['tool_calls'] ?? delta['function_call'];
    this.usesTools ||= Array.isArray(calls) ? calls.length > 0 : isObject(calls);
    const reason = stringOf(choice['finish_reason']);
    if (reason !== '') this.reason = reason.toLowerCase();
  }
}

/** @throws NotACompletion where the body is a web page or another text. */
const modeOf = (body: string): 'unknown' | 'events' | 'json' => {
  const start = body.replace(/^[\s\u{feff}]+/u, '');
  if (start === '') return 'unknown';
  if (/^[{[]/.test(start)) return 'json';
  const field = /^(?:data|event|id|retry|:)/.exec(start);
  if (field || ['data', 'event', 'id', 'retry'].some((name) => name.startsWith(start)))
    return field ? 'events' : 'unknown';
  throw new NotACompletion();
};
