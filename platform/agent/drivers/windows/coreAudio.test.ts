import { expect, test } from 'vitest';
import { ComError, type Com, type ComArgument } from './com.ts';
import { createSoundSystem } from './coreAudio.ts';

const VOLUME_INTERFACE = '87CE5498-68D6-44E5-9215-6DA47EF883D8';

/** An object with its methods by their positions. It has all interfaces, unless `query` says otherwise. */
interface FakeObject {
  readonly methods: Readonly<Record<number, (argument: ComArgument | undefined) => unknown>>;
  readonly query?: (interfaceId: string) => FakeObject;
}

function fail(): never {
  throw new ComError('the call of something that is gone', -1);
}

/** COM in memory, which counts references. The real one is tested in audio.desktop.ts. */
function createFakeCom() {
  const objects: FakeObject[] = [];
  let referenceCount = 0;
  function add(object: FakeObject): bigint {
    referenceCount += 1;
    return BigInt(objects.push(object) - 1);
  }
  const find = (address: bigint): FakeObject => objects[Number(address)] ?? fail();
  const invoke = (address: bigint, slot: number, [argument]: readonly ComArgument[]): unknown =>
    (find(address).methods[slot] ?? fail)(argument);
  const com: Com = {
    call: (object, slot, ...args) => Number(invoke(object, slot, args) ?? 0),
    getPointer: (object, slot, ...args) => add(invoke(object, slot, args) as FakeObject),
    getInt: (object, slot, ...args) => Number(invoke(object, slot, args)),
    getFloat: (object, slot, ...args) => Number(invoke(object, slot, args)),
    getText: (object, slot, ...args) => String(invoke(object, slot, args)),
    readText: fail,
    clearProperty: () => undefined,
    query: (object, interfaceId) => add(find(object).query?.(interfaceId) ?? find(object)),
    release: () => void (referenceCount -= 1),
    create: fail,
  };
  return { com, add, countReferences: () => referenceCount };
}

const getInt = (argument: ComArgument | undefined): number => (argument && 'int' in argument ? argument.int : 0);
const getFloat = (argument: ComArgument | undefined): number => (argument && 'float' in argument ? argument.float : 0);

const createCollection = (items: readonly FakeObject[]): FakeObject => ({
  methods: { 3: () => items.length, 4: (index) => items[getInt(index)] },
});

function createSession(id: string): FakeObject {
  let level = 0.5;
  const volume = {
    methods: {
      3: (next: ComArgument | undefined) => void (level = getFloat(next)),
      4: () => level,
      5: () => undefined,
      6: () => 0,
    },
  };
  const session: FakeObject = {
    methods: { 3: () => 1, 4: () => '', 13: () => id, 14: () => 7, 15: () => 1 },
    query: (interfaceId) => (interfaceId === VOLUME_INTERFACE ? volume : session),
  };
  return session;
}

const createDevice = (id: string, sessions: readonly FakeObject[]): FakeObject => ({
  methods: {
    3: () => ({ methods: { 5: () => createCollection(sessions), 9: () => 1, 15: () => 0 } }),
    4: () => ({ methods: { 5: () => undefined } }),
    5: () => id,
  },
});

test('a device or a session that ends at this moment hides no other, and nothing leaks', () => {
  const { com, add, countReferences } = createFakeCom();
  const ended: FakeObject = { methods: {}, query: fail };
  const silent: FakeObject = { methods: { 3: () => 1, 15: () => 1 } };
  const devices = [
    { methods: { 3: fail, 5: () => 'removed' } },
    createDevice('speakers', [ended, silent, createSession('player')]),
  ];
  const enumerator = add({ methods: { 3: (flow) => createCollection(getInt(flow) === 0 ? devices : []), 4: fail } });
  const sound = createSoundSystem(com, enumerator);
  const readLevels = () => sound.read().sessions.map(({ id, level }) => [id, level]);
  expect(sound.read().outputs.map(({ id }) => id)).toEqual(['speakers']);
  expect(readLevels()).toEqual([['player', 0.5]]);
  sound.setSession('player', { level: 0.25, isMuted: false });
  expect(readLevels()).toEqual([['player', 0.25]]);
  expect(() => sound.setSession('nobody', { level: 1, isMuted: false })).toThrow('the session is gone');
  expect(countReferences()).toBe(1);
  sound[Symbol.dispose]();
  expect(countReferences()).toBe(0);
});
