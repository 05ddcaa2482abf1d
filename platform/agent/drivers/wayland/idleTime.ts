import { Refusal } from '#platform/contract/refusal.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';

/** Compositors only report that somebody has done nothing for this long. */
const IDLE_AFTER_MS = 1000;
export const NO_IDLE_TIME_MESSAGE = "The desktop of that computer doesn't report idle time";

/** How long keyboard and mouse have not been used. */
export interface IdleTime {
  /** @throws Refusal if the compositor doesn't report it. */
  readonly getIdleMs: () => number;
  readonly isAvailable: boolean;
}

/** Follows the idle time of a seat. The time is exact to one second. */
export function openIdleTime(connection: WaylandConnection, seat: WaylandObject<'wl_seat'>): IdleTime {
  /** Since when the computer has not been used. */
  let idleSince: number | undefined;
  const setIdle = (): void => void (idleSince = performance.now() - IDLE_AFTER_MS);
  const setActive = (): void => void (idleSince = undefined);
  const notifier = connection.bind('ext_idle_notifier_v1', 1);
  const kdeIdle = notifier ? undefined : connection.bind('org_kde_kwin_idle', 1);
  if (notifier) {
    const notification = connection.create('ext_idle_notification_v1', { idled: setIdle, resumed: setActive });
    notifier.send('get_idle_notification', notification, IDLE_AFTER_MS, seat);
  }
  if (kdeIdle) {
    const timeout = connection.create('org_kde_kwin_idle_timeout', { idle: setIdle, resumed: setActive });
    kdeIdle.send('get_idle_timeout', timeout, seat, IDLE_AFTER_MS);
  }
  const isAvailable = notifier !== undefined || kdeIdle !== undefined;
  return {
    isAvailable,
    getIdleMs: () => {
      if (!isAvailable) throw new Refusal('windows.no_idle_time', NO_IDLE_TIME_MESSAGE);
      return idleSince === undefined ? 0 : Math.floor(performance.now() - idleSince);
    },
  };
}
