import { DAY_SECONDS } from '#platform/contract/duration.ts';
import type { Day } from '../../domain/days.ts';
import { STATUS_CODE_COUNT, toStatusCode, parseStatus, type SecondRange, type Track } from '../../domain/track.ts';

/*
 * Packs the values of a day or application into one row: deltas as variable-length integers with 7 bits per byte. One
 * row per value took ten times the space and time.
 */

function createWriter() {
  let bytes = new Uint8Array(256);
  let length = 0;
  return {
    add: (value: number): void => {
      if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${value} cannot be packed`);
      if (length + 8 > bytes.length) {
        const larger = new Uint8Array(bytes.length * 2);
        larger.set(bytes);
        bytes = larger;
      }
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) + 128;
      bytes[length++] = rest;
    },
    /** A copy, because a transfer to another thread would copy the whole buffer behind a view. */
    finish: (): Uint8Array => bytes.slice(0, length),
  };
}

function createReader(bytes: Uint8Array) {
  let position = 0;
  return {
    isAtEnd: (): boolean => position >= bytes.length,
    next: (): number => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = bytes[position++];
        if (byte === undefined) throw new Error('packed numbers end too early');
        if (byte < 128) return value + byte * factor;
        value += (byte - 128) * factor;
      }
    },
  };
}
type Reader = ReturnType<typeof createReader>;

/** Packs everything a device did on a UTC day. Ranges must be within the day. */
export function packTracks(day: Day, tracks: readonly Track[]): Uint8Array {
  const writer = createWriter();
  for (const { application, status, ranges } of tracks) {
    if (ranges.length === 0) continue;
    writer.add(application);
    writer.add(ranges.length * STATUS_CODE_COUNT + toStatusCode(status));
    let reached = day * DAY_SECONDS;
    for (const { from, until } of ranges) {
      writer.add(from - reached);
      writer.add(until - from);
      reached = until;
    }
  }
  return writer.finish();
}

function readRanges(reader: Reader, count: number, start: number): SecondRange[] {
  const ranges: SecondRange[] = [];
  let reached = start;
  for (let remaining = count; remaining > 0; remaining -= 1) {
    const from = reached + reader.next();
    reached = from + reader.next();
    ranges.push({ from, until: reached });
  }
  return ranges;
}

export function unpackTracks(day: Day, bytes: Uint8Array): Track[] {
  const reader = createReader(bytes);
  const tracks: Track[] = [];
  while (!reader.isAtEnd()) {
    const application = reader.next();
    const lengthAndStatus = reader.next();
    const ranges = readRanges(reader, Math.floor(lengthAndStatus / STATUS_CODE_COUNT), day * DAY_SECONDS);
    tracks.push({ application, status: parseStatus(lengthAndStatus % STATUS_CODE_COUNT), ranges });
  }
  return tracks;
}

/** Values at a position, such as the seconds of a slot. Entries are sorted by position. */
export type Entry = readonly [place: number, ...values: number[]];

/**
 * Packs entries.
 * @param first lower bound of the positions
 */
export function packEntries(first: number, entries: readonly Entry[]): Uint8Array {
  const writer = createWriter();
  let reached = first;
  for (const [position, ...values] of entries) {
    writer.add(position - reached);
    for (const value of values) writer.add(value);
    reached = position;
  }
  return writer.finish();
}

/** Calls `each` with every position and its `width` values. The values are reused for the next call. */
export function readEntries(
  bytes: Uint8Array,
  first: number,
  width: number,
  onEntry: (position: number, values: readonly number[]) => void,
): void {
  const reader = createReader(bytes);
  const values = Array.from({ length: width }, () => 0);
  let position = first;
  while (!reader.isAtEnd()) {
    position += reader.next();
    for (let index = 0; index < width; index += 1) values[index] = reader.next();
    onEntry(position, values);
  }
}
