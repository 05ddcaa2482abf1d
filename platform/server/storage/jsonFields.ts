import { Refusal } from '#platform/contract/refusal.ts';

/** Maximum size of a value or a list item, which is in memory as a whole, and of the parts that commas separate. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024;
const MAX_VALUE_PARTS = 1_000_000;
/** Maximum number of items of a list. */
const MAX_ITEMS = 10_000_000;

const [QUOTE, BACKSLASH, COLON, COMMA, SPACE] = [0x22, 0x5c, 0x3a, 0x2c, 0x20];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

const createDamagedRefusal = (cause?: unknown): Refusal =>
  new Refusal('import.json_damaged', 'This file is damaged: its JSON is invalid or incomplete', { cause });

function refuseLargeValue(): never {
  throw new Refusal('import.value_too_large', 'This file is damaged: one of its entries is too large');
}

/** Where the reader is: before the object, in a key, in a value, in a list item, after a list, or after the object. */
type Position = 'start' | 'key' | 'value' | 'item' | 'list end' | 'end';

/** Creates a reader of one JSON object that holds only one value at a time. */
function createFieldReader(wantedField: string) {
  let position: Position = 'start';
  /** Open brackets within the current value. */
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** Whether the current value has begun, after spaces. */
  let hasContent = false;
  let isWanted = true;
  let parts: Buffer[] = [];
  let size = 0;
  let partCount = 0;
  let values: unknown[] = [];

  function collect(part: Buffer): void {
    if (position === 'start' || position === 'list end' || position === 'end' || !isWanted) return;
    size += part.length;
    if (size > MAX_VALUE_BYTES) refuseLargeValue();
    parts.push(part);
  }
  function parseCollected(): unknown {
    try {
      return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
    } catch (error) {
      throw createDamagedRefusal(error);
    }
  }
  function moveTo(next: Position): void {
    position = next;
    parts = [];
    size = 0;
    partCount = 0;
    hasContent = false;
    // Keys are always read.
    if (next === 'key') isWanted = true;
  }
  function endKey(): void {
    isWanted = parseCollected() === wantedField;
    moveTo('value');
  }
  function endValue(next: Position): void {
    if (!hasContent) throw createDamagedRefusal();
    if (isWanted) values.push(parseCollected());
    moveTo(next);
  }

  const endsByPosition: Readonly<Record<Position, ReadonlyMap<number, () => void>>> = {
    start: new Map([[OPEN_BRACE, () => moveTo('key')]]),
    key: new Map([
      [COLON, endKey],
      [CLOSE_BRACE, () => moveTo('end')],
    ]),
    value: new Map([
      [OPEN_BRACKET, () => moveTo('item')],
      [COMMA, () => endValue('key')],
      [CLOSE_BRACE, () => endValue('end')],
    ]),
    item: new Map([
      [COMMA, () => endValue('item')],
      [CLOSE_BRACKET, () => (hasContent ? endValue('list end') : moveTo('list end'))],
    ]),
    'list end': new Map([
      [COMMA, () => moveTo('key')],
      [CLOSE_BRACE, () => moveTo('end')],
    ]),
    end: new Map(),
  };
  /** Returns what follows if a byte ends the current part, which ends before it; undefined if the part continues. */
  function findEnd(byte: number): (() => void) | undefined {
    if (depth > 0) return undefined;
    // A list starts, and an object ends, only where nothing else has begun.
    const needsBlank = byte === OPEN_BRACKET || (position === 'key' && byte === CLOSE_BRACE);
    return needsBlank && hasContent ? undefined : endsByPosition[position].get(byte);
  }
  function countPart(): void {
    partCount += 1;
    if (partCount > MAX_VALUE_PARTS) refuseLargeValue();
  }
  function closeBracket(): void {
    depth -= 1;
    if (depth < 0) throw createDamagedRefusal();
  }
  function continuePart(byte: number): void {
    if (byte <= SPACE) return;
    if (position === 'start' || position === 'list end' || position === 'end') throw createDamagedRefusal();
    hasContent = true;
    if (byte === QUOTE) isInString = true;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) closeBracket();
    else if (byte === COMMA) countPart();
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      countPart();
    }
  }
  function continueString(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) isInString = false;
  }

  return {
    /** Returns the values that end in this chunk. */
    push: (chunk: Buffer): readonly unknown[] => {
      values = [];
      let start = 0;
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0;
        if (isInString) {
          continueString(byte);
          continue;
        }
        const end = findEnd(byte);
        if (end === undefined) {
          continuePart(byte);
          continue;
        }
        collect(chunk.subarray(start, index));
        end();
        start = index + 1;
      }
      // The memory of the chunk may be used again.
      collect(Buffer.from(chunk.subarray(start)));
      return values;
    },
    hasEnded: (): boolean => position === 'end',
  };
}

/**
 * Yields the value of a field of a JSON object, or its items if it is a list, while the JSON is read.
 * @throws Refusal if the JSON is damaged.
 */
export async function* iterateJsonField(json: AsyncIterable<Uint8Array>, field: string): AsyncGenerator {
  const reader = createFieldReader(field);
  let count = 0;
  for await (const chunk of json) {
    const values = reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    count += values.length;
    if (count > MAX_ITEMS) throw new Refusal('import.too_many_items', 'This file is damaged: a list in it is too long');
    yield* values;
  }
  if (!reader.hasEnded()) throw createDamagedRefusal();
}
