import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { categoriesChanged, usageChanged } from '../../contract.ts';
import { TOTAL } from '../../contract/limits.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import { useToday } from './useSelectedApplications.ts';
import type { Scope } from './viewTypes.ts';

/**
 * Delay after a change before applications are reloaded that are neither open nor used more: hours don't include sound.
 */
const FULL_RELOAD_DELAY_MS = MINUTE_MS;

/** Returns the application of a query; undefined for other queries. */
const getApplication = ({ queryKey }: Query): string | undefined =>
  queryKey[1] === 'application' ? String(queryKey[4]) : undefined;

/** Reloads applications one by one, because all together would delay scrolling. */
function useReload() {
  const queryClient = useQueryClient();
  return async (predicate: (query: Query) => boolean): Promise<void> => {
    for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: [SCREEN_TIME], predicate })) {
      void queryClient.invalidateQueries({ queryKey, exact: true });
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
}

interface DataReloadOptions {
  readonly scope: Scope;
  /** Applications that are open on a computer. */
  readonly running: readonly string[];
  /** Hours of the last two weeks by application. */
  readonly hours: ReadonlyMap<string, number>;
}

/** Reloads changed data. Must be used once, by the page. */
export function useDataReload({ scope, running, hours }: DataReloadOptions): void {
  const reload = useReload();
  const previousHours = useRef({ scope, running, hours });
  const reloadAll = useEffectEvent((): void => void reload(() => true));
  const reloadNamed = useEffectEvent(
    (names: ReadonlySet<string>): void => void reload((query) => names.has(getApplication(query) ?? '')),
  );
  const reloadActive = useEffectEvent((): void => {
    const activeNames = new Set([TOTAL, ...running, ...previousHours.current.running]);
    previousHours.current = { ...previousHours.current, running };
    void reload((query) => {
      const application = getApplication(query);
      return application === undefined || activeNames.has(application);
    });
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function reloadNow(): void {
      clearTimeout(timer);
      timer = undefined;
      reloadAll();
    }
    const stops = [
      realtime.on(usageChanged, () => {
        reloadActive();
        timer ??= setTimeout(reloadNow, FULL_RELOAD_DELAY_MS);
      }),
      realtime.on(categoriesChanged, reloadNow),
      realtime.onConnectionStateChange(() => {
        // The first time too: data loaded before the connection may have changed.
        if (realtime.getConnectionState() === 'connected') reloadNow();
      }),
    ];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, []);
  // At midnight the days and the last two weeks change, even without use.
  const today = useToday();
  const previousToday = useRef(today);
  useEffect(() => {
    if (previousToday.current === today) return;
    previousToday.current = today;
    reloadAll();
  }, [today]);
  // All hours arrive in one answer; applications with changed hours reload immediately, open or not.
  useEffect(() => {
    const previous = previousHours.current;
    previousHours.current = { ...previous, scope, hours };
    if (previous.scope !== scope || previous.hours.size === 0) return;
    const changedNames = new Set([...hours.keys()].filter((name) => hours.get(name) !== previous.hours.get(name)));
    if (changedNames.size > 0) reloadNamed(changedNames);
  }, [hours, scope]);
}
