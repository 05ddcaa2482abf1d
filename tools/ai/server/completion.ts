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
const DONE = '[DONE]';

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

const errorMessage = (error: unknown): string => {
  if (typeof error === 'string') return error;
  return isObject(error) ? stringOf(error['message']) : '';
};

/** A content is a text, or a list of typed parts. */
const contentParts = (content: unknown): CompletionPart[] => {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).flatMap((part): CompletionPart[] => {
    const isThinking = part['type'] === 'thinking' || part['type'] === 'reasoning';
    const nested = part['thinking'] ?? part['reasoning'] ?? part['text'];
    const text = Array.isArray(nested)
      ? nested.map((one) => (isObject(one) ? stringOf(one['text']) : '')).join('')
      : nested;
    return [{ kind: isThinking ? 'thoughts' : 'text', text: stringOf(text) }];
  });
};

/** Reads a chat completion that comes as server-sent events, as lines of JSON, or as one JSON object. */
export class CompletionReader {
  private body = '';
  private mode: 'unknown' | 'events' | 'json' = 'unknown';
  private parts: CompletionPart[] = [];
  private reason: string | undefined;
  private usesTools = false;
  private isDamaged = false;
  private isDone = false;
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
      if (this.mode === 'json' && this.body.trim() !== '') this.readChunk(parseJson(this.body), this.body);
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
    if (this.mode === 'events') {
      this.events.feed(characters);
      return;
    }
    this.body += characters;
    // Some servers name the wrong content type, so the first character decides.
    if (this.mode === 'unknown') this.mode = modeOf(this.body);
    if (this.mode === 'unknown') return;
    const body = this.body;
    this.body = '';
    if (this.mode === 'events') this.events.feed(body.replace(/^[\s\u{feff}]+/u, ''));
    else this.readLines(body);
  }

  /** Objects may follow one another, each on a line, or one may stretch over lines. */
  private readLines(body: string): void {
    if (body.length > MAX_JSON_LENGTH) throw new NotACompletion();
    let open = '';
    for (const line of body.split(/(?<=\n)/)) {
      open += line;
      const value = line.endsWith('\n') && line.trimEnd().endsWith('}') ? parseJson(open) : undefined;
      if (value === undefined) continue;
      this.readChunk(value, open);
      open = '';
    }
    this.body = open;
  }

  private readEvent(event: string | undefined, data: string): void {
    if (data.trim() === DONE) {
      this.isDone = true;
      return;
    }
    // A ping or another kind of keep-alive holds no chunk.
    if (!data.trimStart().startsWith('{')) {
      if (event === 'error') throw new CompletionError(data);
      this.parts.push({ kind: 'sign' });
      return;
    }
    this.readChunk(parseJson(data), data);
  }

  private readChunk(chunk: unknown, raw: string): void {
    if (!isObject(chunk)) {
      this.isDamaged ||= raw.trim() !== '';
      return;
    }
    if (chunk['error'] !== undefined && chunk['error'] !== null)
      throw new CompletionError(errorMessage(chunk['error']));
    const choices = Array.isArray(chunk['choices']) ? chunk['choices'].filter(isObject) : [];
    const choice = choices.find(({ index }) => index === 0 || index === undefined);
    if (choice) this.readChoice(choice);
    else this.parts.push({ kind: 'sign' });
  }

  private readChoice(choice: Json): void {
    const delta = [choice['delta'], choice['message']].find(isObject) ?? {};
    const thoughts = stringOf(delta['reasoning_content']) || stringOf(delta['reasoning']);
    const content = contentParts(delta['content'] ?? choice['text']);
    this.parts.push({ kind: 'sign' }, { kind: 'thoughts', text: thoughts }, ...content);
    this.parts.push({ kind: 'text', text: stringOf(delta['refusal']) });
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
  if (start.startsWith('{')) return 'json';
  const field = /^(?:data|event|id|retry|:)/.exec(start);
  if (field || ['data', 'event', 'id', 'retry'].some((name) => name.startsWith(start)))
    return field ? 'events' : 'unknown';
  throw new NotACompletion();
};
