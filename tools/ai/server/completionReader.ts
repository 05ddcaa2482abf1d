import { createParser } from 'eventsource-parser';

/** Content of one chunk of a chat completion. */
export type CompletionPart =
  | { readonly kind: 'text' | 'thoughts'; readonly text: string }
  /** The model works without output. */
  | { readonly kind: 'keepAlive' }
  /** Reason for the end; undefined if the AI server gave none. */
  | { readonly kind: 'end'; readonly reason: string | undefined };

/** Thrown if the AI server reports an error inside its answer; `message` is the server's own. */
export class CompletionError extends Error {
  override readonly name = 'CompletionError';
}

/** Thrown if the body is not a chat completion. */
export class NotACompletion extends Error {
  override readonly name = 'NotACompletion';
}

/** Longer than any answer that can be shown. An endless body is not read further. */
const MAX_JSON_LENGTH = 8_000_000;
const DONE_PATTERN = /^\s*"?\[?(?:done|end|eos)\]?"?\s*$/i;
const LINE_END_PATTERN = /(?<=\r\n|\n|\r(?!\n|$))/;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ERROR_FIELDS = ['message', 'error', 'detail', 'errors', 'msg', 'error_description', 'reason'] as const;

/** Finds the server's error message in any of the usual fields; '' if there is none. */
export function findErrorMessage(error: unknown, depth = 4): string {
  if (typeof error === 'string') return error.trim();
  if (!isObject(error) || depth === 0) return '';
  const candidates = Array.isArray(error) ? error : ERROR_FIELDS.map((field) => error[field]);
  return candidates.map((candidate) => findErrorMessage(candidate, depth - 1)).find((text) => text !== '') ?? '';
}

/** Returns whether a chunk is an error: an error event, a chunk with an `error` field, or another error object. */
function isError(event: string | undefined, chunk: Json): boolean {
  const kinds = [event, chunk['object'], chunk['type']];
  if (kinds.includes('error')) return true;
  const error = chunk['error'] ?? false;
  // Some servers send an empty error in every chunk.
  if (error !== false && (!('choices' in chunk) || findErrorMessage(error) !== '')) return true;
  return !('choices' in chunk) && !kinds.includes('ping') && findErrorMessage(chunk) !== '';
}

const isCompleteEvent = (data: string): boolean => DONE_PATTERN.test(data) || isObject(parseJson(data));

/** Splits streamed text after each closed object or array, in linear time. It does not check that the text is JSON. */
class JsonSplitter {
  private openText = '';
  private depth = 0;
  private isInString = false;
  private isEscaped = false;

  /** Text after the last closed object. */
  get rest(): string {
    return this.openText;
  }

  *splitNext(characters: string): Iterable<string> {
    let start = 0;
    for (let at = 0; at < characters.length; at += 1) {
      if (!this.consume(characters.charAt(at))) continue;
      yield this.openText + characters.slice(start, at + 1);
      this.openText = '';
      start = at + 1;
    }
    this.openText += characters.slice(start);
  }

  /** Consumes a character. Returns true if it closes an outermost object or array. */
  private consume(character: string): boolean {
    if (this.isInString) {
      this.isInString = this.isEscaped || character !== '"';
      this.isEscaped = !this.isEscaped && character === '\\';
      return false;
    }
    if (character === '"') this.isInString = this.depth > 0;
    if (character === '{' || character === '[') this.depth += 1;
    if (character !== '}' && character !== ']') return false;
    this.depth = Math.max(0, this.depth - 1);
    return this.depth === 0;
  }
}

/** Splits concatenated objects, unless the whole text is one object. */
function splitObjects(data: string): readonly string[] {
  if (!data.trimStart().startsWith('{') || parseJson(data) !== undefined) return [data];
  const splitter = new JsonSplitter();
  const objects = [...splitter.splitNext(data)];
  return splitter.rest.trim() === '' && objects.length > 0 ? objects : [...objects, splitter.rest];
}

/** Returns the text of a value in any of the formats that servers use. */
function extractText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(extractText).join('');
  if (!isObject(value)) return toText(value);
  const fields = ['text', 'value', 'content', 'thinking', 'reasoning', 'summary'];
  return fields.map((field) => extractText(value[field])).find((text) => text !== '') ?? '';
}

/** Converts a content, which is a text or a list of typed parts. */
const toContentParts = (content: unknown): CompletionPart[] =>
  (Array.isArray(content) ? content : [content]).map((part: unknown): CompletionPart => {
    const isThinking = isObject(part) && (part['type'] === 'thinking' || part['type'] === 'reasoning');
    return { kind: isThinking ? 'thoughts' : 'text', text: extractText(part) };
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

/** Returns the first reasoning field that has a text, because servers repeat the reasoning in several fields. */
const extractThoughts = (delta: Json): string =>
  THOUGHTS_FIELDS.map((field) => extractText(delta[field])).find((text) => text !== '') ?? '';

/** Parses a chat completion that arrives as server-sent events, as lines of JSON, or as one JSON object. */
export class CompletionReader {
  private body = '';
  /** The body so far ends with a carriage return, so a line may end here. */
  private endsInReturn = false;
  private readonly json = new JsonSplitter();
  private mode: 'unknown' | 'events' | 'json' = 'unknown';
  private parts: CompletionPart[] = [];
  private reason: string | undefined;
  private usesTools = false;
  private isDamaged = false;
  private isDone = false;
  private hasChoices = false;
  private isForeign = false;
  /** All answer text so far. */
  private answerText = '';
  /** The current event starts with an incomplete chunk, which its next lines continue. */
  private isOpen = false;
  private readonly events = createParser({
    onEvent: ({ event, data }) => this.readEvent(event, data),
    onComment: () => this.parts.push({ kind: 'keepAlive' }),
  });

  /** Returns whether the AI server reported that nothing follows. */
  get hasEnded(): boolean {
    return this.isDone;
  }

  /**
   * Parses the next characters of the body.
   * @throws CompletionError, NotACompletion after the parts before the error.
   */
  *read(characters: string): Iterable<CompletionPart> {
    yield* this.readParts(() => this.feed(characters));
  }

  /**
   * Parses the rest at the end of the body.
   * @throws CompletionError, NotACompletion
   */
  *end(): Iterable<CompletionPart> {
    yield* this.readParts(() => {
      if (this.mode === 'events') this.feed('\n\n'); // the last event may lack its blank line
      if (this.mode === 'json' && this.json.rest.trim() !== '') this.readObject(this.json.rest);
      if (this.isForeign && !this.hasChoices) throw new NotACompletion();
    });
    yield { kind: 'end', reason: this.getEndReason() };
  }

  private *readParts(step: () => void): Iterable<CompletionPart> {
    let fault: Error | undefined;
    try {
      step();
    } catch (error) {
      fault = error as Error; // only errors are thrown
    }
    yield* this.takeParts();
    if (fault) throw fault;
  }

  private takeParts(): readonly CompletionPart[] {
    const parts = this.parts;
    this.parts = [];
    return parts.filter((part) => !('text' in part) || part.text !== '');
  }

  private getEndReason(): string | undefined {
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
      // Joining the pieces of a long line is expensive, so it waits for the line end.
      const hasLineEnd = this.endsInReturn || /[\r\n]/.test(characters);
      this.endsInReturn = characters.endsWith('\r');
      if (hasLineEnd) this.feedLines();
      return;
    }
    // Some servers send a wrong content type, so the first character decides.
    if (this.mode === 'unknown') this.mode = detectMode(this.body);
    if (this.mode === 'unknown') return;
    this.body = this.body.replace(/^[\s\u{feff}]+/u, '');
    this.endsInReturn = this.body.endsWith('\r');
    if (this.mode === 'events') this.feedLines();
    else this.readObjects(this.body);
  }

  /** Reads lines. Some servers omit the blank lines between events, so a line with a complete chunk ends its event. */
  private feedLines(): void {
    const lines = this.body.split(LINE_END_PATTERN);
    this.body = lines.at(-1)?.endsWith('\n') === true ? '' : (lines.pop() ?? '');
    for (const line of lines) {
      const data = /^data:\s*(.*)/.exec(line)?.[1] ?? '';
      const isComplete = !this.isOpen && isCompleteEvent(data);
      this.events.feed(isComplete ? `${line}\n` : line);
      if (line.trim() === '') this.isOpen = false;
      else if (data.startsWith('{')) this.isOpen = !isComplete;
    }
  }

  /** Reads objects that follow one another, each on a line or across several lines. */
  private readObjects(characters: string): void {
    for (const object of this.json.splitNext(characters)) this.readObject(object);
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
    // Some proxies repeat the field name.
    const lines = data.split('\n').map((line) => line.replace(/^(?:data:\s*)+/, ''));
    for (const part of lines.flatMap(splitObjects)) this.readData(event, part);
  }

  private readData(event: string | undefined, data: string): void {
    if (DONE_PATTERN.test(data)) {
      this.isDone = true;
      return;
    }
    // A keep-alive, such as a ping, has no chunk.
    if (!data.trimStart().startsWith('{')) {
      if (event === 'error' && data.trim() !== '') throw new CompletionError(findErrorMessage(parseJson(data)) || data);
      this.parts.push({ kind: 'keepAlive' });
      return;
    }
    this.readChunk(event, parseJson(data), data);
  }

  private readChunk(event: string | undefined, chunk: unknown, raw: string): void {
    if (!isObject(chunk)) {
      this.isDamaged ||= raw.trim() !== '';
      return;
    }
    if (isError(event, chunk)) throw new CompletionError(findErrorMessage(chunk));
    const choices = [chunk['choices']].flat().filter(isObject);
    this.hasChoices ||= 'choices' in chunk;
    this.isForeign ||= chunk['type'] !== 'ping' && Object.keys(chunk).length > 0;
    const choice = choices.find(({ index }) => index === undefined || index === null || Number(index) === 0);
    if (choice) this.readChoice(choice);
    else this.parts.push({ kind: 'keepAlive' });
  }

  private readChoice(choice: Json): void {
    if (findErrorMessage(choice['error']) !== '') throw new CompletionError(findErrorMessage(choice['error']));
    const delta = [choice['delta'], choice['message']].find(isObject) ?? {};
    const content = toContentParts(delta['content'] ?? choice['text']);
    const text = content.map((part) => ('text' in part && part.kind === 'text' ? part.text : '')).join('');
    // Some servers repeat the whole message at the end of a stream.
    const isLast = delta === choice['message'] && toText(choice['finish_reason']) !== '';
    const isRepeated = isLast && text !== '' && text === this.answerText;
    this.parts.push({ kind: 'keepAlive' });
    if (!isRepeated) {
      this.parts.push({ kind: 'thoughts', text: extractThoughts(delta) }, ...content);
      this.parts.push({ kind: 'text', text: toText(delta['refusal']) });
      this.answerText += text;
    }
    const calls = delta['tool_calls'] ?? delta['function_call'];
    this.usesTools ||= Array.isArray(calls) ? calls.length > 0 : isObject(calls);
    const reason = toText(choice['finish_reason']);
    if (reason !== '') this.reason = reason.toLowerCase();
  }
}

/**
 * Detects the format of a body.
 * @throws NotACompletion for a web page or other text.
 */
function detectMode(body: string): 'unknown' | 'events' | 'json' {
  const start = body.replace(/^[\s\u{feff}]+/u, '');
  if (start === '') return 'unknown';
  if (/^[{[]/.test(start)) return 'json';
  const field = /^(?:data|event|id|retry|:)/.exec(start);
  if (field || ['data', 'event', 'id', 'retry'].some((name) => name.startsWith(start)))
    return field ? 'events' : 'unknown';
  throw new NotACompletion();
}
