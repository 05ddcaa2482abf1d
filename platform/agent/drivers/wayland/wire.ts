// How Wayland's messages are written: an object, a size with a number of the message, and the arguments in words of
// 32 bits in the byte order of the computer.
import type { Message, ObjectId } from './protocol.ts';

const WORD_BYTES = 4;
export const HEADER_BYTES = 8;
/** Fixed-point numbers have steps of 1/256. */
const FIXED_STEPS = 256;

export type Argument = number | string | Buffer | ObjectId | undefined;

const pad = (bytes: number): number => (bytes + WORD_BYTES - 1) & ~(WORD_BYTES - 1);

function encodeWord(value: number): Buffer {
  const word = Buffer.alloc(WORD_BYTES);
  word.writeUInt32LE(value >>> 0);
  return word;
}

/** A length in bytes, and the bytes, filled up to whole words. */
function encodeBytes(bytes: Buffer): Buffer {
  return Buffer.concat([encodeWord(bytes.length), bytes, Buffer.alloc(pad(bytes.length) - bytes.length)]);
}

function encodeArgument(kind: string, argument: Argument): Buffer {
  if (typeof argument === 'string') return encodeBytes(Buffer.from(`${argument}\0`));
  if (Buffer.isBuffer(argument)) return encodeBytes(argument);
  if (typeof argument === 'object') return encodeWord(argument.id);
  return encodeWord(kind === 'f' ? Math.round((argument ?? 0) * FIXED_STEPS) : (argument ?? 0));
}

export interface EncodedRequest {
  readonly data: Buffer;
  readonly descriptors: readonly number[];
}

/** Encodes a request. `opcode` is its position in the interface. */
export function encodeRequest(
  objectId: number,
  opcode: number,
  { kinds }: Message,
  args: readonly Argument[],
): EncodedRequest {
  const descriptors: number[] = [];
  const parts: Buffer[] = [];
  for (const [index, kind] of kinds.split('').entries()) {
    const argument = args[index];
    if (kind === 'h') descriptors.push(argument as number);
    else parts.push(encodeArgument(kind, argument));
  }
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(objectId, 0);
  header.writeUInt32LE((((HEADER_BYTES + body.length) << 16) | opcode) >>> 0, WORD_BYTES);
  return { data: Buffer.concat([header, body]), descriptors };
}

export interface EventFrame {
  readonly objectId: number;
  readonly opcode: number;
  readonly body: Buffer;
}

/** Returns the complete events at the start of the data, and the incomplete rest. */
export function splitEvents(data: Buffer): { readonly events: readonly EventFrame[]; readonly rest: Buffer } {
  const events: EventFrame[] = [];
  let rest = data;
  while (rest.length >= HEADER_BYTES) {
    const word = rest.readUInt32LE(WORD_BYTES);
    const size = word >>> 16;
    if (size < HEADER_BYTES) throw new Error(`an event has ${size} bytes`);
    if (rest.length < size) break;
    events.push({ objectId: rest.readUInt32LE(0), opcode: word & 0xffff, body: rest.subarray(HEADER_BYTES, size) });
    rest = rest.subarray(size);
  }
  return { events, rest };
}

/** Turns what an event contains into arguments. */
export interface ArgumentReaders {
  readonly takeDescriptor: () => number;
  readonly findObject: (id: number) => unknown;
  readonly addObject: (id: number) => unknown;
}

/** Decodes the arguments of an event. */
export function decodeArguments(body: Buffer, { kinds }: Message, readers: ArgumentReaders): readonly unknown[] {
  let offset = 0;
  function takeWord(): number {
    offset += WORD_BYTES;
    return body.readUInt32LE(offset - WORD_BYTES);
  }
  function takeBytes(): Buffer {
    const length = takeWord();
    const bytes = body.subarray(offset, offset + length);
    offset += pad(length);
    return bytes;
  }
  return Array.from(kinds, (kind) => {
    switch (kind) {
      case 'h':
        return readers.takeDescriptor();
      case 's':
        return takeBytes().toString('utf8').replace(/\0$/, '');
      case 'a':
        return takeBytes();
      case 'i':
        return takeWord() | 0;
      case 'f':
        return (takeWord() | 0) / FIXED_STEPS;
      case 'o':
        return readers.findObject(takeWord());
      case 'n':
        return readers.addObject(takeWord());
      default:
        return takeWord();
    }
  });
}
