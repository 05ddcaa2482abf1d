import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DBusCall, DBusMessage, SessionBus } from '@homebridge/dbus-native';
import * as z from 'zod/mini';
import type { Ability, OpenWindow, WindowsDriver } from '../drivers.ts';
import { getProgramName } from '../processes.ts';
import { callBus, START_TIMEOUT_MS, unwrapVariant } from '../sessionBus.ts';
import { NO_IDLE_TIME_MESSAGE, type IdleTime } from '../wayland/idleTime.ts';
import type { FocusedWindow } from '../wayland/keyboard.ts';
import type { ScreenSize } from './pointer.ts';
import { createWindowScript, type WindowReport } from './windowScript.ts';

export const KWIN_NAME = 'org.kde.KWin';
const REPORT_TIMEOUT_MS = 3000;
const UNNAMED_APPLICATION = 'Unnamed';
const NO_WINDOWS_MESSAGE = "KWin on that computer doesn't report the active window. Restart the agent there";
const REPORT = { path: '/org/pegboard/Agent', interface: 'org.pegboard.Agent', member: 'ReportWindows' } as const;

const windowReport = z.object({
  active: z.nullable(z.string()),
  windows: z.array(z.object({ id: z.string(), application: z.string(), pid: z.number() })),
  width: z.number(),
  height: z.number(),
});

export interface KdeWindows extends WindowsDriver, AsyncDisposable {
  readonly getFocused: () => FocusedWindow | undefined;
  readonly getScreenSize: () => ScreenSize | undefined;
}

const scripting = (member: string, signature: string, body: readonly unknown[]): DBusCall => ({
  destination: KWIN_NAME,
  path: '/Scripting',
  interface: 'org.kde.kwin.Scripting',
  member,
  signature,
  body,
});

/** Returns KWin's name for the script of a connection to the bus, whose name is unique. */
const getScriptName = (bus: SessionBus): string => `pegboard-agent${bus.name ?? ''}`;

/** Loads the script of this file into KWin and runs it. */
async function runScript(bus: SessionBus, path: string): Promise<void> {
  const id = await callBus(bus, scripting('loadScript', 'ss', [path, getScriptName(bus)]), START_TIMEOUT_MS);
  if (typeof id !== 'number' || id < 0) throw new Error('KWin did not load the script');
  const script = { destination: KWIN_NAME, interface: 'org.kde.kwin.Script', member: 'run' } as const;
  // KWin 5.27 and 6 call it /Scripting/Script1; older ones /1.
  await callBus(bus, { ...script, path: `/Scripting/Script${id}` }, START_TIMEOUT_MS).catch(() =>
    callBus(bus, { ...script, path: `/${id}` }),
  );
}

/** Follows the windows of KWin with a script that calls us back. */
export async function openKdeWindows(bus: SessionBus, env: NodeJS.ProcessEnv, idleTime: IdleTime): Promise<KdeWindows> {
  const listeners: (() => void)[] = [];
  /** KWin's ids of open windows, with our numbers. */
  let numberById = new Map<string, number>();
  let nextNumber = 1;
  let report: WindowReport | undefined;
  const { promise: reported, resolve } = Promise.withResolvers<void>();
  const dbusService = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' } as const;
  const getOwner = { ...dbusService, interface: 'org.freedesktop.DBus', member: 'GetNameOwner' } as const;
  const kwin = await callBus(bus, { ...getOwner, signature: 's', body: [KWIN_NAME] });

  function handleReport(json: string, { sender }: DBusMessage): void {
    if (sender !== kwin) return;
    report = windowReport.parse(JSON.parse(json));
    const ids = new Set(report.windows.map(({ id }) => id));
    if (report.active !== null) ids.add(report.active);
    numberById = new Map([...ids].map((id) => [id, numberById.get(id) ?? nextNumber++]));
    resolve();
    for (const listener of listeners) listener();
  }
  bus.exportInterface({ [REPORT.member]: handleReport }, REPORT.path, {
    name: REPORT.interface,
    methods: { [REPORT.member]: ['s', ''] },
  });
  const folder = mkdtempSync(join(env['XDG_RUNTIME_DIR'] || tmpdir(), 'pegboard-kwin-'));
  const scriptPath = join(folder, 'windows.js');
  writeFileSync(scriptPath, createWindowScript({ destination: bus.name ?? '', ...REPORT }));
  let timeout: NodeJS.Timeout | undefined;
  try {
    await runScript(bus, scriptPath);
    const { promise: late, resolve: giveUp } = Promise.withResolvers<void>();
    timeout = setTimeout(giveUp, REPORT_TIMEOUT_MS);
    await Promise.race([reported, late]);
  } catch {
    // KWin runs no scripts: `ability` says so.
  } finally {
    clearTimeout(timeout);
    rmSync(folder, { recursive: true, force: true });
  }

  function toOpenWindow({ id, application, pid }: WindowReport['windows'][number]): OpenWindow {
    const knownPid = pid > 0 ? pid : undefined;
    return {
      id: numberById.get(id) ?? 0,
      application: application || getProgramName(knownPid) || UNNAMED_APPLICATION,
      pid: knownPid,
    };
  }
  async function getTitle(number: number): Promise<string> {
    const id = [...numberById].find(([, other]) => other === number)?.[0];
    if (id === undefined) return '';
    const call = { destination: KWIN_NAME, path: '/KWin', interface: 'org.kde.KWin', member: 'getWindowInfo' };
    const info = await callBus(bus, { ...call, signature: 's', body: [id] }).catch(() => undefined);
    const entries: readonly unknown[] = Array.isArray(info) ? info : [];
    const caption = entries.find((entry) => Array.isArray(entry) && entry[0] === 'caption');
    const title = Array.isArray(caption) ? unwrapVariant(caption[1]) : undefined;
    return typeof title === 'string' ? title : '';
  }
  return {
    get ability(): Ability {
      if (!report) return { able: false, reason: NO_WINDOWS_MESSAGE };
      return idleTime.isAvailable ? { able: true } : { able: false, reason: NO_IDLE_TIME_MESSAGE };
    },
    getActive: () => {
      const active = report?.windows.find(({ id }) => id === report?.active);
      return active && toOpenWindow(active);
    },
    // Without a report the focus is unknown, and typing must not be refused.
    getFocused: () => {
      const id = report ? numberById.get(report.active ?? '') : 0;
      return id === undefined ? undefined : { id, isX11: undefined };
    },
    getScreenSize: () => report,
    listOpen: () => report?.windows.map(toOpenWindow) ?? [],
    onChange: (listener) => void listeners.push(listener),
    getTitle,
    getIdleMs: async () => idleTime.getIdleMs(),
    [Symbol.asyncDispose]: async () => {
      const unload = scripting('unloadScript', 's', [getScriptName(bus)]);
      await callBus(bus, unload).catch(() => undefined); // KWin has ended
    },
  };
}
