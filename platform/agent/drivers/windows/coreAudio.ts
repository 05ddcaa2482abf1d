// Outputs and sessions of Windows' sound system, by the interfaces of Core Audio.
import { encodeGuid, openCom, type Com, type ComObject } from './com.ts';

const ENUMERATOR_CLASS = 'BCDE0395-E52F-467C-8E3D-C4579291692E';
const INTERFACE = {
  enumerator: 'A95664D2-9614-4F35-A746-DE8DB63617E6',
  endpointVolume: '5CDF2C82-841E-4546-9722-0CF74078229A',
  sessionManager: '77AA99A0-1BD6-484F-8BC7-2C654C9A9B6F',
  sessionControl: 'BFB7FF88-7239-4FC9-8FA2-07C950BE9C6D',
  simpleVolume: '87CE5498-68D6-44E5-9215-6DA47EF883D8',
} as const;

/** Positions of methods in the tables of their interfaces. */
const ENUMERATOR = { enumerateEndpoints: 3, getDefaultEndpoint: 4 } as const;
const COLLECTION = { getCount: 3, getItem: 4 } as const;
const DEVICE = { activate: 3, openProperties: 4, getId: 5 } as const;
const PROPERTIES = { getValue: 5 } as const;
const ENDPOINT_VOLUME = { setLevel: 7, getLevel: 9, setMuted: 14, isMuted: 15 } as const;
const SESSION_MANAGER = { getEnumerator: 5 } as const;
const SESSIONS = { getCount: 3, getSession: 4 } as const;
const SESSION = { getState: 3, getName: 4, getInstanceId: 13, getProcess: 14, isSystemSound: 15 } as const;
const SIMPLE_VOLUME = { setLevel: 3, getLevel: 4, setMuted: 5, isMuted: 6 } as const;

const FLOW = { render: 0, capture: 1 } as const;
/** The role of the output that programs use, unless they ask for another one. */
const CONSOLE = 0;
const ACTIVE_DEVICES = 1;
const READ_ONLY = 0;
const ALL_CONTEXTS = 23;
const SESSION_STATE = { active: 1, expired: 2 } as const;
/** `PKEY_Device_FriendlyName`: a format and a number in it. */
const NAME_FORMAT = 'A45C254E-DF1C-4EFD-8020-67D146A850E0';
const NAME_NUMBER = 14;
const PROPERTY_BYTES = 24;
const PROPERTY_TEXT = 8;
/** The type of a property that is the address of a text. */
const TEXT_TYPE = 31;

/** Levels are fractions of the loudest one. */
export interface SoundLevel {
  readonly level: number;
  readonly isMuted: boolean;
}
export interface SoundOutput extends SoundLevel {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
}
/** The sound of one program on one device. */
export interface SoundSession extends SoundLevel {
  readonly id: string;
  /** '' if the program gave none. */
  readonly name: string;
  readonly pid: number;
  /** Whether it plays or records now. */
  readonly isActive: boolean;
}
export interface SoundSnapshot {
  readonly outputs: readonly SoundOutput[];
  readonly sessions: readonly SoundSession[];
  readonly recordings: readonly SoundSession[];
}

/** The sound system of this computer. All functions throw if it fails, or what they set is gone. */
export interface SoundSystem extends Disposable {
  readonly read: () => SoundSnapshot;
  readonly setOutput: (id: string, to: SoundLevel) => void;
  /** Sets the level of a session that plays. */
  readonly setSession: (id: string, to: SoundLevel) => void;
}

/** Runs a task with one of several devices or sessions. If it ends at this moment, or fails, the others go on. */
function skipIfFailing(task: () => void): void {
  try {
    task();
  } catch {
    // What can't be read is as good as removed.
  }
}

/**
 * Reads and sets sound through an enumerator of devices.
 * @param enumerator an IMMDeviceEnumerator, which is released at the end.
 */
export function createSoundSystem(com: Com, enumerator: ComObject): SoundSystem {
  /** Runs the task with an object, and releases the object. */
  function withObject<T>(object: ComObject, task: (object: ComObject) => T): T {
    try {
      return task(object);
    } finally {
      com.release(object);
    }
  }
  const activate = (device: ComObject, interfaceId: string): ComObject =>
    com.getPointer(
      device,
      DEVICE.activate,
      { pointer: encodeGuid(interfaceId) },
      { int: ALL_CONTEXTS },
      { pointer: 0n },
    );
  function forEachDevice(flow: number, visit: (device: ComObject) => void): void {
    const collection = com.getPointer(
      enumerator,
      ENUMERATOR.enumerateEndpoints,
      { int: flow },
      { int: ACTIVE_DEVICES },
    );
    withObject(collection, () => {
      const count = com.getInt(collection, COLLECTION.getCount);
      for (let index = 0; index < count; index++)
        skipIfFailing(() => withObject(com.getPointer(collection, COLLECTION.getItem, { int: index }), visit));
    });
  }
  function readDeviceName(device: ComObject): string {
    const key = Buffer.alloc(20);
    encodeGuid(NAME_FORMAT).copy(key);
    key.writeUInt32LE(NAME_NUMBER, 16);
    const property = Buffer.alloc(PROPERTY_BYTES);
    return withObject(com.getPointer(device, DEVICE.openProperties, { int: READ_ONLY }), (properties) => {
      com.call(properties, PROPERTIES.getValue, { pointer: key }, { pointer: property });
      try {
        return property.readUInt16LE(0) === TEXT_TYPE ? com.readText(property.readBigUInt64LE(PROPERTY_TEXT)) : '';
      } finally {
        com.clearProperty(property);
      }
    });
  }
  function findDefaultId(): string | undefined {
    try {
      const device = com.getPointer(enumerator, ENUMERATOR.getDefaultEndpoint, { int: FLOW.render }, { int: CONSOLE });
      return withObject(device, () => com.getText(device, DEVICE.getId));
    } catch {
      return undefined; // there is no output
    }
  }
  const readOutput = (device: ComObject, defaultId: string | undefined): SoundOutput =>
    withObject(activate(device, INTERFACE.endpointVolume), (volume) => {
      const id = com.getText(device, DEVICE.getId);
      return {
        id,
        name: readDeviceName(device),
        isDefault: id === defaultId,
        level: com.getFloat(volume, ENDPOINT_VOLUME.getLevel),
        isMuted: com.getInt(volume, ENDPOINT_VOLUME.isMuted) !== 0,
      };
    });

  /** Visits the sessions of a device that programs have, without those of the system and those that have ended. */
  function forEachSession(device: ComObject, visit: (session: ComObject, state: number) => void): void {
    withObject(activate(device, INTERFACE.sessionManager), (manager) =>
      withObject(com.getPointer(manager, SESSION_MANAGER.getEnumerator), (sessions) => {
        const count = com.getInt(sessions, SESSIONS.getCount);
        for (let index = 0; index < count; index++)
          skipIfFailing(() =>
            withObject(com.getPointer(sessions, SESSIONS.getSession, { int: index }), (simple) =>
              withObject(com.query(simple, INTERFACE.sessionControl), (session) => {
                const state = com.getInt(session, SESSION.getState);
                if (state !== SESSION_STATE.expired && com.call(session, SESSION.isSystemSound) !== 0)
                  visit(session, state);
              }),
            ),
          );
      }),
    );
  }
  const readSession = (session: ComObject, state: number): SoundSession =>
    withObject(com.query(session, INTERFACE.simpleVolume), (volume) => ({
      id: com.getText(session, SESSION.getInstanceId),
      name: com.getText(session, SESSION.getName),
      pid: com.getInt(session, SESSION.getProcess),
      isActive: state === SESSION_STATE.active,
      level: com.getFloat(volume, SIMPLE_VOLUME.getLevel),
      isMuted: com.getInt(volume, SIMPLE_VOLUME.isMuted) !== 0,
    }));
  function listSessions(device: ComObject): readonly SoundSession[] {
    const sessions: SoundSession[] = [];
    forEachSession(device, (session, state) => void sessions.push(readSession(session, state)));
    return sessions;
  }

  return {
    read: () => {
      const defaultId = findDefaultId();
      const outputs: SoundOutput[] = [];
      const sessions: SoundSession[] = [];
      const recordings: SoundSession[] = [];
      forEachDevice(FLOW.render, (device) => {
        outputs.push(readOutput(device, defaultId));
        sessions.push(...listSessions(device));
      });
      forEachDevice(FLOW.capture, (device) => void recordings.push(...listSessions(device)));
      return { outputs, sessions, recordings };
    },
    setOutput: (id, { level, isMuted }) => {
      let isSet = false;
      forEachDevice(FLOW.render, (device) => {
        if (com.getText(device, DEVICE.getId) !== id) return;
        withObject(activate(device, INTERFACE.endpointVolume), (volume) => {
          com.call(volume, ENDPOINT_VOLUME.setLevel, { float: level }, { pointer: 0n });
          com.call(volume, ENDPOINT_VOLUME.setMuted, { int: Number(isMuted) }, { pointer: 0n });
        });
        isSet = true;
      });
      if (!isSet) throw new Error('the output is gone');
    },
    setSession: (id, { level, isMuted }) => {
      let isSet = false;
      forEachDevice(FLOW.render, (device) =>
        forEachSession(device, (session) => {
          if (com.getText(session, SESSION.getInstanceId) !== id) return;
          withObject(com.query(session, INTERFACE.simpleVolume), (volume) => {
            com.call(volume, SIMPLE_VOLUME.setLevel, { float: level }, { pointer: 0n });
            com.call(volume, SIMPLE_VOLUME.setMuted, { int: Number(isMuted) }, { pointer: 0n });
          });
          isSet = true;
        }),
      );
      if (!isSet) throw new Error('the session is gone');
    },
    [Symbol.dispose]: () => com.release(enumerator),
  };
}

let openedCom: Com | undefined;

/**
 * Opens the sound system of this computer.
 * @throws if it has none, or this Node is too old.
 */
export function openCoreAudio(): SoundSystem {
  openedCom ??= openCom();
  return createSoundSystem(openedCom, openedCom.create(ENUMERATOR_CLASS, INTERFACE.enumerator));
}
