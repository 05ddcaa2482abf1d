// The layout of a zip of stored (uncompressed) files. Every offset is computed before any file is read,
// so the size is known and any range can be generated.

export interface StoredFile {
  /** In UTF-8, valid on every system (`songFileNames.ts`). */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** CRC-32 of its bytes. */
  readonly crc: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface ZipLayout {
  /** Parts in order: bytes, or files by index. */
  readonly parts: readonly (Uint8Array | number)[];
  /** Names, sizes, checksums and times of all files. Equal if the whole zip is equal. */
  readonly directory: Uint8Array;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
/** A field with this value is full, and the value is in the zip64 fields. */
const FULL_32 = 0xffffffff;
const FULL_16 = 0xffff;
const LARGE_ID = 1;
const NEEDS = { plain: 20, large: 45 };
/** Unix, and the version of the format. */
const MADE_BY = (3 << 8) | NEEDS.large;
const NAMES_ARE_UTF8 = 0x0800;
/** A regular file: readable by all, writable by its owner. */
const MODE = 0o100644 * 0x10000;

type Field = readonly [bytes: 2 | 4 | 8, value: number];
const short = (value: number): Field => [2, value];
const long = (value: number): Field => [4, value];
const huge = (value: number): Field => [8, value];

/** Encodes fields as little-endian numbers, followed by a name and other bytes. */
function encodeFields(fields: readonly Field[], tails: readonly Uint8Array[] = []): Uint8Array {
  const head = fields.reduce((sum, [bytes]) => sum + bytes, 0);
  const output = new Uint8Array(tails.reduce((sum, tail) => sum + tail.length, head));
  const view = new DataView(output.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += bytes;
  }
  for (const tail of tails) {
    output.set(tail, at);
    at += tail.length;
  }
  return output;
}

const FIRST_YEAR = 1980;
const LAST_YEAR = 2107;

/** Encodes time and date in UTC, with a resolution of two seconds. */
function encodeTimestamp(ms: number): readonly [Field, Field] {
  const { year, month, day, hour, minute, second } =
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC');
  if (year < FIRST_YEAR) return [short(0), short((1 << 5) | 1)];
  return [
    short((hour << 11) | (minute << 5) | (second >> 1)),
    short(((Math.min(year, LAST_YEAR) - FIRST_YEAR) << 9) | (month << 5) | day),
  ];
}

/** Encodes values that don't fit their fields as a zip64 extra field. */
const encodeZip64 = (values: readonly number[]): Uint8Array =>
  values.length === 0
    ? new Uint8Array()
    : encodeFields([short(LARGE_ID), short(8 * values.length), ...values.map(huge)]);

const toCapped = (value: number): Field => long(Math.min(value, FULL_32));

interface PlacedFile extends StoredFile {
  readonly encodedName: Uint8Array;
  readonly stamp: readonly Field[];
  /** Offset of its local header. */
  readonly offset: number;
}

/** Returns the fields that both headers of a file have. */
const createSharedFields = (
  { size, crc, stamp, encodedName }: Omit<PlacedFile, 'offset'>,
  large: Uint8Array,
): readonly Field[] => [
  short(large.length > 0 ? NEEDS.large : NEEDS.plain),
  short(NAMES_ARE_UTF8),
  short(0), // stored
  ...stamp,
  long(crc),
  toCapped(size),
  toCapped(size),
  short(encodedName.length),
  short(large.length),
];

function encodeLocalHeader(file: Omit<PlacedFile, 'offset'>): Uint8Array {
  const { size, encodedName } = file;
  const large = encodeZip64(size >= FULL_32 ? [size, size] : []);
  return encodeFields([long(LOCAL), ...createSharedFields(file, large)], [encodedName, large]);
}

function encodeCentralHeader(file: PlacedFile): Uint8Array {
  const { size, encodedName, offset } = file;
  const large = encodeZip64([...(size >= FULL_32 ? [size, size] : []), ...(offset >= FULL_32 ? [offset] : [])]);
  return encodeFields(
    [
      long(CENTRAL),
      short(MADE_BY),
      ...createSharedFields(file, large),
      short(0), // no comment
      short(0), // first disk
      short(0), // binary data
      long(MODE),
      toCapped(offset),
    ],
    [encodedName, large],
  );
}

/** Encodes the end of the zip: offset and size of its directory. */
function encodeEnd(count: number, { at, size }: { readonly at: number; readonly size: number }): Uint8Array {
  const isLarge = count >= FULL_16 || at >= FULL_32 || size >= FULL_32;
  const large = encodeFields([
    long(END_64),
    huge(44), // number of bytes that follow
    short(MADE_BY),
    short(NEEDS.large),
    long(0),
    long(0),
    huge(count),
    huge(count),
    huge(size),
    huge(at),
    long(LOCATOR_64),
    long(0),
    huge(at + size),
    long(1),
  ]);
  const counted = short(Math.min(count, FULL_16));
  const plain = encodeFields([long(END), short(0), short(0), counted, counted, toCapped(size), toCapped(at), short(0)]);
  return isLarge ? encodeFields([], [large, plain]) : plain;
}

/** Computes the layout of a zip of these files. Equal files give equal bytes. */
export function computeZipLayout(files: readonly StoredFile[]): ZipLayout {
  const utf8 = new TextEncoder();
  const parts: (Uint8Array | number)[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const [index, file] of files.entries()) {
    const placed = { ...file, encodedName: utf8.encode(file.name), stamp: encodeTimestamp(file.modified), offset };
    const header = encodeLocalHeader(placed);
    parts.push(header, index);
    central.push(encodeCentralHeader(placed));
    offset += header.length + file.size;
  }
  const directory = encodeFields([], central);
  parts.push(directory, encodeEnd(files.length, { at: offset, size: directory.length }));
  return { parts, directory };
}
