import type { XKeyboard, XKeyboardState } from 'x11';
import type { Display, Done } from './display.ts';

const GET_CONTROLS = 6;
const SET_CONTROLS = 7;
const GET_MAP = 8;
const SET_MAP = 9;
const KEY_TYPES = 1;
const KEY_SYMS = 2;
const SHIFT = 1;
const ALL_MODIFIERS = 0xff;
const MAX_GROUPS = 4;
/** SlowKeys, BounceKeys and MouseKeys (XKB, boolean controls). */
const KEY_FILTERS = 0b1_0110;
const ENABLED_CONTROLS = 0x80000000;
/** Offset of the enabled controls in the reply, whose first eight bytes the library removes. */
const ENABLED_OFFSET = 48;
/** Index of the key type with one level, which no modifier changes (XKB, canonical types). */
const ONE_LEVEL = 0;
const TWO_LEVEL = 1;

/** The keysyms of a key in XKB: level by level for each of its groups. */
export interface KeySymbols {
  /** One type for each of four groups. */
  readonly types: readonly number[];
  readonly groupInfo: number;
  readonly width: number;
  readonly keysyms: readonly number[];
}

/** A part of the keyboard map in XKB. */
export interface KeyMap {
  readonly minKeycode: number;
  readonly maxKeycode: number;
  readonly first: number;
  readonly keys: readonly KeySymbols[];
  /**
   * Index of the type whose four levels Shift and the third-level modifier choose; undefined if this keyboard has none.
   */
  readonly fourLevels: number | undefined;
  /** Number of levels of each key type. */
  readonly levelCounts: readonly number[];
}

/** The library has no request for the XKB map, and its types do not include its request queue. */
interface RequestQueue {
  seq_num: number;
  readonly replies: Record<number, [(data: Buffer) => unknown, Done<never>] | undefined>;
  readonly pack_stream: { put(data: Buffer): void; submit(isAnswered: boolean): void };
}

const NO_KEYSYMS: KeySymbols = { types: [0, 0, 0, 0], groupInfo: 0, width: 0, keysyms: [] };

interface KeyType {
  readonly modifiers: number;
  readonly levels: number;
  /** Level by the modifiers that choose it. */
  readonly levelByModifiers: ReadonlyMap<number, number>;
}

function readTypes(data: Buffer, offset: number, count: number): { readonly types: KeyType[]; readonly end: number } {
  const types: KeyType[] = [];
  let position = offset;
  for (let index = 0; index < count; index++) {
    const entries = data.readUInt8(position + 5);
    const hasPreserved = data.readUInt8(position + 6) !== 0;
    const levelByModifiers = new Map(
      Array.from({ length: entries }, (_, entry) => position + 8 + entry * 8)
        .filter((entryPosition) => data.readUInt8(entryPosition) !== 0)
        .map((entryPosition) => [data.readUInt8(entryPosition + 1), data.readUInt8(entryPosition + 2)]),
    );
    types.push({ modifiers: data.readUInt8(position), levels: data.readUInt8(position + 4), levelByModifiers });
    position += 8 + entries * (hasPreserved ? 12 : 8);
  }
  return { types, end: position };
}

function readKeys(data: Buffer, offset: number, count: number): KeySymbols[] {
  const keys: KeySymbols[] = [];
  let position = offset;
  for (let index = 0; index < count; index++) {
    const symbols = data.readUInt16LE(position + 6);
    keys.push({
      types: Array.from({ length: MAX_GROUPS }, (_, group) => data.readUInt8(position + group)),
      groupInfo: data.readUInt8(position + 4),
      width: data.readUInt8(position + 5),
      keysyms: Array.from({ length: symbols }, (_, symbol) => data.readUInt32LE(position + 8 + symbol * 4)),
    });
    position += 8 + symbols * 4;
  }
  return keys;
}

/** Finds the type whose four levels are chosen by exactly Shift and `level3`. */
function findFourLevels(types: readonly KeyType[], level3: number): number | undefined {
  const index = types.findIndex(
    ({ modifiers, levels, levelByModifiers }) =>
      levels === 4 &&
      modifiers === (SHIFT | level3) &&
      levelByModifiers.get(SHIFT) === 1 &&
      levelByModifiers.get(level3) === 2 &&
      levelByModifiers.get(SHIFT | level3) === 3,
  );
  return index === -1 ? undefined : index;
}

/** Removes levels that the key's types do not have: the X server reports such levels, but refuses them. */
function fitLevels(key: KeySymbols, levelCounts: readonly number[]): KeySymbols {
  const { types, groupInfo, width, keysyms } = key;
  const groups = groupInfo & 0xf;
  const levelCount = Math.max(0, ...types.slice(0, groups).map((type) => levelCounts[type] ?? width));
  if (levelCount >= width) return key;
  return { ...key, width: levelCount, keysyms: keysyms.filter((_, index) => index % width < levelCount) };
}

function writeKey({ types, groupInfo, width, keysyms }: KeySymbols): Buffer {
  const data = Buffer.alloc(8 + keysyms.length * 4);
  for (const [group, type] of types.entries()) data.writeUInt8(type, group);
  data.writeUInt8(groupInfo, 4);
  data.writeUInt8(width, 5);
  data.writeUInt16LE(keysyms.length, 6);
  for (const [index, keysym] of keysyms.entries()) data.writeUInt32LE(keysym, 8 + index * 4);
  return data;
}

/** Creates a request of the core keyboard; its other fields are 0. */
function createRequest({ majorOpcode, UseCoreKbd }: XKeyboard, minorOpcode: number, bytes: number): Buffer {
  const request = Buffer.alloc(bytes);
  request.writeUInt8(majorOpcode, 0);
  request.writeUInt8(minorOpcode, 1);
  request.writeUInt16LE(bytes / 4, 2);
  request.writeUInt16LE(UseCoreKbd, 4);
  return request;
}

function createMapRequest(xkb: XKeyboard, first: number, count: number): Buffer {
  const request = createRequest(xkb, GET_MAP, 28);
  request.writeUInt16LE(KEY_TYPES, 6);
  request.writeUInt16LE(KEY_SYMS, 8);
  request.writeUInt8(first, 12);
  request.writeUInt8(count, 13);
  return request;
}

function readMap(data: Buffer, level3: number): KeyMap {
  const { types, end } = readTypes(data, 32, data.readUInt8(7));
  return {
    minKeycode: data.readUInt8(2),
    maxKeycode: data.readUInt8(3),
    first: data.readUInt8(9),
    keys: readKeys(data, end, data.readUInt8(12)),
    fourLevels: level3 === 0 ? undefined : findFourLevels(types, level3),
    levelCounts: types.map(({ levels }) => levels),
  };
}

function createSetControlsRequest(xkb: XKeyboard, affected: number, enabled: number): Buffer {
  const request = createRequest(xkb, SET_CONTROLS, 100);
  request.writeUInt32LE(affected, 24);
  request.writeUInt32LE(enabled, 28);
  request.writeUInt32LE(ENABLED_CONTROLS, 32);
  return request;
}

function createSetMapRequest(xkb: XKeyboard, { minKeycode, maxKeycode, first, ...map }: KeyMap): Buffer {
  const keys = map.keys.map((key) => fitLevels(key, map.levelCounts));
  const request = Buffer.concat([Buffer.alloc(36), ...keys.map(writeKey)]);
  request.writeUInt8(xkb.majorOpcode, 0);
  request.writeUInt8(SET_MAP, 1);
  request.writeUInt16LE(request.length / 4, 2);
  request.writeUInt16LE(xkb.UseCoreKbd, 4);
  request.writeUInt16LE(KEY_SYMS, 6);
  request.writeUInt8(minKeycode, 10);
  request.writeUInt8(maxKeycode, 11);
  request.writeUInt8(first, 14);
  request.writeUInt8(keys.length, 15);
  const keysyms = keys.reduce((sum, key) => sum + key.keysyms.length, 0);
  request.writeUInt16LE(keysyms, 16);
  return request;
}

/** Modifiers and layout that no finger holds: locked, or latched for the next key. */
export type Locks = Pick<XKeyboardState, 'lockedMods' | 'latchedMods' | 'latchedGroup'>;

/** The keycodes to read. */
export interface MapPart {
  readonly first: number;
  readonly count: number;
  /** Mask of the third-level modifier; 0 if there is none. */
  readonly level3Mask: number;
}

/** The X Keyboard Extension of a display, for what the core protocol can't do. */
export interface Xkb {
  readonly getState: () => Promise<XKeyboardState>;
  /** Unlocks and unlatches all modifiers, and unlatches the layout. */
  readonly unlock: () => void;
  /** Locks and latches these again. Locks that somebody set in the meantime stay. */
  readonly lock: (locks: Locks) => void;
  /** Returns a mask of the active filters that drop or reinterpret keys: Slow Keys, Bounce Keys, Mouse Keys. */
  readonly getKeyFilters: () => Promise<number>;
  /** Switches the filters in the mask on or off. */
  readonly setKeyFilters: (filters: number, isOn: boolean) => void;
  readonly getMap: (part: MapPart) => Promise<KeyMap>;
  /** Sets the keysyms of these keycodes in one change of the map, so that programs are notified once. */
  readonly setMap: (map: KeyMap) => void;
}

/**
 * Opens the extension.
 * @throws if the display does not have it.
 */
export async function openXkb({ x, request }: Display): Promise<Xkb> {
  const xkb = await request<XKeyboard>((done) => x.require('xkb', done));
  const queue = x as unknown as RequestQueue;
  function send(packet: Buffer, reply?: [(data: Buffer) => unknown, Done<never>]): void {
    queue.seq_num += 1;
    if (reply) queue.replies[queue.seq_num] = reply;
    queue.pack_stream.put(packet);
    queue.pack_stream.submit(reply !== undefined);
  }
  return {
    getState: () => request<XKeyboardState>((done) => xkb.GetState(xkb.UseCoreKbd, done)),
    unlock: () => xkb.LatchLockState(xkb.UseCoreKbd, ALL_MODIFIERS, 0, false, 0, ALL_MODIFIERS, 0, true, 0),
    lock: ({ lockedMods, latchedMods, latchedGroup }) =>
      xkb.LatchLockState(
        xkb.UseCoreKbd,
        lockedMods,
        lockedMods,
        false,
        0,
        latchedMods,
        latchedMods,
        latchedGroup !== 0,
        latchedGroup,
      ),
    getKeyFilters: () =>
      request<number>((done) =>
        send(createRequest(xkb, GET_CONTROLS, 8), [(data) => data.readUInt32LE(ENABLED_OFFSET) & KEY_FILTERS, done]),
      ),
    setKeyFilters: (filters, isOn) => send(createSetControlsRequest(xkb, filters, isOn ? filters : 0)),
    getMap: ({ first, count, level3Mask }) =>
      request<KeyMap>((done) => send(createMapRequest(xkb, first, count), [(data) => readMap(data, level3Mask), done])),
    setMap: (map) => send(createSetMapRequest(xkb, map)),
  };
}

/** Creates a key of one group with these keysyms, where 0 is a gap; it has one level per needed modifier. */
export function createKeySymbols(levels: readonly number[], fourLevels: number | undefined): KeySymbols {
  const last = levels.findLastIndex((keysym) => keysym !== 0);
  if (last === -1) return NO_KEYSYMS;
  if (last === 0) return { types: [ONE_LEVEL, 0, 0, 0], groupInfo: 1, width: 1, keysyms: levels.slice(0, 1) };
  if (last === 1) return { types: [TWO_LEVEL, 0, 0, 0], groupInfo: 1, width: 2, keysyms: levels.slice(0, 2) };
  return { types: [fourLevels ?? 0, 0, 0, 0], groupInfo: 1, width: 4, keysyms: levels.slice(0, 4) };
}
