import type { SessionBus } from '@homebridge/dbus-native';
import * as z from 'zod/mini';
import { callBusForAll, unwrapVariant } from '../sessionBus.ts';
import type { Point } from './pointer.ts';

const DISPLAY_CONFIG = {
  destination: 'org.gnome.Mutter.DisplayConfig',
  path: '/org/gnome/Mutter/DisplayConfig',
  interface: 'org.gnome.Mutter.DisplayConfig',
} as const;
/** Coordinates are in pixels of the screen, without its scale. */
const PHYSICAL_LAYOUT = 2;
/** Transforms with odd numbers turn the screen by a quarter. */
const isQuarterTurned = (transform: number): boolean => transform % 2 === 1;

const monitorId = z.tuple([z.string(), z.string(), z.string(), z.string()]);
const properties = z.array(z.tuple([z.string(), z.unknown()]));
const mode = z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.unknown(), properties]);
const monitor = z.tuple([monitorId, z.array(mode), properties]);
const logicalMonitor = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.unknown(),
  z.array(monitorId),
  properties,
]);
/** The answer of `GetCurrentState`. */
const displayState = z.tuple([z.number(), z.array(monitor), z.array(logicalMonitor), properties]);

const readProperty = (list: z.output<typeof properties>, name: string): unknown =>
  unwrapVariant(list.find(([key]) => key === name)?.[1]);

/** Finds the middle of the primary screen in the state of the displays. */
export function findPrimaryCentre(state: readonly unknown[]): Point {
  const [, monitors, logicalMonitors, settings] = displayState.parse(state);
  const primary = logicalMonitors.find(([, , , , isPrimary]) => isPrimary === true) ?? logicalMonitors[0];
  if (!primary) return { x: 0, y: 0 };
  const [x, y, scale, transform, , ids] = primary;
  const modes = monitors.find(([id]) => id.join() === ids[0]?.join())?.[1] ?? [];
  const [, width = 0, height = 0] = modes.find(([, , , , , , list]) => readProperty(list, 'is-current') === true) ?? [];
  const divisor = 2 * (readProperty(settings, 'layout-mode') === PHYSICAL_LAYOUT ? 1 : scale);
  const [shownWidth, shownHeight] = isQuarterTurned(transform) ? [height, width] : [width, height];
  return { x: x + Math.floor(shownWidth / divisor), y: y + Math.floor(shownHeight / divisor) };
}

/** Returns the middle of the primary screen. @throws if the desktop doesn't answer. */
export async function readPrimaryCentre(bus: SessionBus): Promise<Point> {
  return findPrimaryCentre(await callBusForAll(bus, { ...DISPLAY_CONFIG, member: 'GetCurrentState' }));
}
