// What IBus, GNOME's input method framework, understands: names, objects, and calls about the engine in use.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ExportedInterface, SessionBus } from '@homebridge/dbus-native';
import { callBus, connectBus, getBusProperty, isRefusedCall, unwrapVariant } from '../sessionBus.ts';

/** Each process has its own, so that a new agent doesn't get the engine of one that has just ended. */
export const ENGINE_NAME = `pegboard-${process.pid}`;
/** What GNOME uses for all keyboard layouts. */
export const DEFAULT_ENGINE = 'xkb:us::eng';
export const BUS_NAME = `org.pegboard.IBus.process${process.pid}`;
export const IBUS = {
  destination: 'org.freedesktop.IBus',
  path: '/org/freedesktop/IBus',
  interface: 'org.freedesktop.IBus',
} as const;
export const ENGINE_PATH = `${IBUS.path}/Engine/pegboard`;
export const ENGINE_INTERFACE = 'org.freedesktop.IBus.Engine';
/** IBus's own input context, the first that it creates. It has the focus while no text field has it. */
export const NO_FIELD_PATH = `${IBUS.path}/InputContext_1`;

/** Both together are shorter than the time that a command has. */
const ENGINE_READ_TIMEOUT_MS = 1500;
const ENGINE_SWITCH_TIMEOUT_MS = 2000;

export const isOwnEngine = (name: string): boolean => /^pegboard-\d+$/.test(name);

/** Finds the address of the user's IBus daemon; undefined if none runs. */
export function findIbusAddress(env: NodeJS.ProcessEnv): string | undefined {
  if (env['IBUS_ADDRESS']) return env['IBUS_ADDRESS'];
  const config = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? homedir(), '.config');
  const display = env['WAYLAND_DISPLAY'] || 'wayland-0';
  for (const path of globSync(join(config, 'ibus/bus', `*-unix-${display}`))) {
    const text = readFileSync(path, 'utf8');
    const [, address] = /^IBUS_ADDRESS=(.+)$/m.exec(text) ?? [];
    const [, pid = ''] = /^IBUS_DAEMON_PID=(\d+)$/m.exec(text) ?? [];
    if (address !== undefined && existsSync(`/proc/${pid}`)) return address;
  }
  return undefined;
}

/** Serialized objects of IBus: their type, attachments and fields. */
const EMPTY_ATTRIBUTES = ['(sa{sv}av)', ['IBusAttrList', [], []]] as const;
export const toIbusText = (text: string) => ['(sa{sv}sv)', ['IBusText', [], text, EMPTY_ATTRIBUTES]] as const;
const ENGINE_DESCRIPTION = [
  '(sa{sv}ssssssssussssssss)',
  [
    'IBusEngineDesc',
    [],
    ENGINE_NAME,
    'Pegboard',
    'Types for Pegboard',
    'en',
    'MIT',
    '',
    '',
    'default',
    0,
    ...Array<string>(8).fill(''),
  ],
] as const;
export const COMPONENT = [
  '(sa{sv}ssssssssavav)',
  ['IBusComponent', [], BUS_NAME, 'Pegboard', '1', 'MIT', '', '', '', ENGINE_NAME, [], [ENGINE_DESCRIPTION]],
] as const;

/** Returns the name of the engine that is in use; undefined if there is none. @throws if IBus doesn't answer. */
export async function readGlobalEngine(bus: SessionBus): Promise<string | undefined> {
  const value = await getBusProperty(bus, IBUS, 'GlobalEngine', ENGINE_READ_TIMEOUT_MS).catch((error: unknown) => {
    // IBus refuses if there is none.
    if (isRefusedCall(error)) return undefined;
    throw error;
  });
  // A variant that contains the engine's description, whose third field is its name.
  const description = Array.isArray(value) && Array.isArray(value[1]) ? unwrapVariant(value) : value;
  const name = Array.isArray(description) ? (description as readonly unknown[])[2] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Returns the path of the input context that has the focus. */
export async function readCurrentContext(bus: SessionBus): Promise<unknown> {
  const value = await getBusProperty(bus, IBUS, 'CurrentInputContext').catch(() => undefined);
  return Array.isArray(value) ? unwrapVariant(value) : value;
}

export const setGlobalEngine = (bus: SessionBus, name: string): Promise<unknown> =>
  callBus(bus, { ...IBUS, member: 'SetGlobalEngine', signature: 's', body: [name] }, ENGINE_SWITCH_TIMEOUT_MS);

/** Restores the engine that was in use before ours, unless the user has chosen another one meanwhile. */
export async function restoreEngine(address: string, engine: string): Promise<void> {
  const bus = connectBus(address);
  if (!bus) return;
  try {
    const current = await readGlobalEngine(bus);
    if (current === undefined || isOwnEngine(current)) await setGlobalEngine(bus, engine);
  } finally {
    bus.connection.end();
  }
}

export const ENGINE_DEFINITION: ExportedInterface = {
  name: ENGINE_INTERFACE,
  methods: {
    FocusIn: ['', ''],
    FocusInId: ['ss', ''],
    FocusOut: ['', ''],
    FocusOutId: ['s', ''],
    Enable: ['', ''],
    Disable: ['', ''],
    Reset: ['', ''],
    SetCapabilities: ['u', ''],
    SetCursorLocation: ['iiii', ''],
    ProcessKeyEvent: ['uuu', 'b'],
    SetSurroundingText: ['vuu', ''],
    PropertyActivate: ['su', ''],
    PageUp: ['', ''],
    PageDown: ['', ''],
    CursorUp: ['', ''],
    CursorDown: ['', ''],
    CandidateClicked: ['uuu', ''],
  },
  signals: { CommitText: ['v'], ForwardKeyEvent: ['uuu'] },
  properties: { FocusId: 'b', ContentType: '(uu)', ActiveSurroundingText: 'b' },
};
export const SERVICE_DEFINITION: ExportedInterface = {
  name: 'org.freedesktop.IBus.Service',
  methods: { Destroy: ['', ''] },
};
