// Core Audio as COM objects of our own, for Node for Windows: Wine has no sounds of other programs.
import { getFfi } from '#platform/agent/drivers/native/ffi.ts';
import { encodeWideText } from '#platform/agent/drivers/windows/libraries.ts';

/** Types of a method's arguments after the object itself, and what it does. It returns 0, or a code. */
type Method = readonly [
  types: readonly ('pointer' | 'int32' | 'uint32' | 'float')[],
  run: (...values: readonly never[]) => number,
];

export interface FakeSound {
  readonly id: string;
  readonly name: string;
  level: number;
  isMuted: boolean;
}
export interface FakeSession extends FakeSound {
  readonly pid: number;
  /** 0 is inactive, 1 active, 2 expired. */
  state: number;
  readonly isSystemSound: boolean;
}
export interface FakeOutput extends FakeSound {
  readonly sessions: FakeSession[];
}
export interface FakeState {
  readonly outputs: FakeOutput[];
  readonly recorders: FakeOutput[];
  /** Index of the default output. */
  defaultOutput: number;
}

export interface FakeCoreAudio {
  /** Address of an IMMDeviceEnumerator. */
  readonly enumerator: bigint;
  /** How many references to objects were not released. */
  readonly countReferences: () => number;
}

const FAILED = -2_147_467_259;
const NOT_FOUND = -2_147_023_728;
const TEXT_PROPERTY = 31;

/** Creates objects whose methods read and change the state. */
export function createFakeCoreAudio(state: FakeState): FakeCoreAudio {
  const ffi = getFfi();
  const { lib, functions } = ffi.dlopen('ole32.dll', {
    CoTaskMemAlloc: { arguments: ['uint64'], return: 'pointer' },
  });
  /** Native code has the addresses of these buffers. */
  const buffers: Buffer[] = [];
  let references = 0;

  function allocateText(text: string): bigint {
    const bytes = encodeWideText(text);
    const address = functions.CoTaskMemAlloc(BigInt(bytes.length));
    ffi.exportBuffer(bytes, address, bytes.length);
    return address;
  }
  const writePointer = (address: bigint, value: bigint): number => {
    ffi.setUint64(address, 0, value);
    return 0;
  };
  const writeInt = (address: bigint, value: number): number => {
    ffi.setInt32(address, 0, value);
    return 0;
  };
  const writeFloat = (address: bigint, value: number): number => {
    ffi.setFloat32(address, 0, value);
    return 0;
  };
  const writeText = (address: bigint, text: string): number => writePointer(address, allocateText(text));
  /** Gives a new reference to an object. */
  function give(address: bigint, object: bigint): number {
    references += 1;
    return writePointer(address, object);
  }
  /** Creates an object from its methods by their positions in its table. */
  function createObject(methods: Readonly<Record<number, Method>>): bigint {
    const object = Buffer.alloc(8);
    const table = Buffer.alloc(8 * 32);
    const address = ffi.getRawPointer(object);
    const common: Readonly<Record<number, Method>> = {
      0: [['pointer', 'pointer'], (_: bigint, result: bigint) => give(result, address)],
      2: [[], () => Math.max(0, (references -= 1))],
    };
    for (const [slot, [types, run]] of Object.entries({ ...common, ...methods }))
      table.writeBigUInt64LE(
        lib.registerCallback(
          { arguments: ['pointer', ...types], return: 'int32' },
          (_: unknown, ...values: readonly unknown[]) => {
            try {
              return run(...(values as readonly never[]));
            } catch {
              return FAILED;
            }
          },
        ),
        8 * Number(slot),
      );
    object.writeBigUInt64LE(ffi.getRawPointer(table));
    buffers.push(object, table);
    return address;
  }

  const createSession = (session: FakeSession): bigint => {
    const volume = createObject({
      3: [['float', 'pointer'], (level: number) => ((session.level = level), 0)],
      4: [['pointer'], (result: bigint) => writeFloat(result, session.level)],
      5: [['int32', 'pointer'], (isMuted: number) => ((session.isMuted = isMuted !== 0), 0)],
      6: [['pointer'], (result: bigint) => writeInt(result, Number(session.isMuted))],
    });
    const VOLUME_INTERFACE = 0x87ce5498;
    const control: bigint = createObject({
      0: [
        ['pointer', 'pointer'],
        (id: bigint, result: bigint) => give(result, ffi.getUint32(id) === VOLUME_INTERFACE ? volume : control),
      ],
      3: [['pointer'], (result: bigint) => writeInt(result, session.state)],
      4: [['pointer'], (result: bigint) => writeText(result, session.name)],
      13: [['pointer'], (result: bigint) => writeText(result, session.id)],
      14: [['pointer'], (result: bigint) => writeInt(result, session.pid)],
      15: [[], () => (session.isSystemSound ? 0 : 1)],
    });
    return control;
  };
  function createDevice(output: FakeOutput): bigint {
    const sessions = output.sessions.map(createSession);
    const volume = createObject({
      7: [['float', 'pointer'], (level: number) => ((output.level = level), 0)],
      9: [['pointer'], (result: bigint) => writeFloat(result, output.level)],
      14: [['int32', 'pointer'], (isMuted: number) => ((output.isMuted = isMuted !== 0), 0)],
      15: [['pointer'], (result: bigint) => writeInt(result, Number(output.isMuted))],
    });
    const list = createObject({
      3: [['pointer'], (result: bigint) => writeInt(result, sessions.length)],
      4: [['int32', 'pointer'], (index: number, result: bigint) => give(result, sessions[index] ?? 0n)],
    });
    const manager = createObject({ 5: [['pointer'], (result: bigint) => give(result, list)] });
    const properties = createObject({
      5: [
        ['pointer', 'pointer'],
        (_: bigint, result: bigint) => {
          ffi.setUint16(result, 0, TEXT_PROPERTY);
          return writePointer(result + 8n, allocateText(output.name));
        },
      ],
    });
    const MANAGER_INTERFACE = 0x77aa99a0;
    return createObject({
      3: [
        ['pointer', 'uint32', 'pointer', 'pointer'],
        (id: bigint, _: number, __: bigint, result: bigint) =>
          give(result, ffi.getUint32(id) === MANAGER_INTERFACE ? manager : volume),
      ],
      4: [['uint32', 'pointer'], (_: number, result: bigint) => give(result, properties)],
      5: [['pointer'], (result: bigint) => writeText(result, output.id)],
    });
  }
  const devices = [state.outputs.map(createDevice), state.recorders.map(createDevice)];
  const collections = devices.map((list) =>
    createObject({
      3: [['pointer'], (result: bigint) => writeInt(result, list.length)],
      4: [['uint32', 'pointer'], (index: number, result: bigint) => give(result, list[index] ?? 0n)],
    }),
  );
  const enumerator = createObject({
    3: [
      ['int32', 'uint32', 'pointer'],
      (flow: number, _: number, result: bigint) => give(result, collections[flow] ?? 0n),
    ],
    4: [
      ['int32', 'int32', 'pointer'],
      (_: number, __: number, result: bigint) => {
        const device = devices[0]?.[state.defaultOutput];
        return device === undefined ? NOT_FOUND : give(result, device);
      },
    ],
  });
  return { enumerator, countReferences: () => references };
}
