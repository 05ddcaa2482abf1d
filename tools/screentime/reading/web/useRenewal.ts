import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { categoriesChanged, usageChanged } from '../../contract.ts';
import { TOTAL } from '../../contract/limits.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import { useToday } from './useShown.ts';
import type { Scope } from './viewTypes.ts';

/**
 * Delay after a change before applications are reloaded that are neither open nor used more: hours don't include sound.
 */
const ALL_MS = MINUTE_MS;

/** Returns the application of a query; undefined for other queries. */
const getApplication = ({ queryKey }: Query): string | undefined =>
  queryKey[1] === 'application' ? String(queryKey[4]) : undefined;

/** Reloads applications one by one, because all together would delay scrolling. */
const useRenew = () => {
  const queries = useQueryClient();
  return async (predicate: (query: Query) => boolean): Promise<void> => {
    for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: [SCREEN_TIME], predicate })) {
      void queries.invalidateQueries({ queryKey, exact: true });
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
};

interface RenewalOptions {
  readonly scope: Scope;
  /** Applications that are open on a computer. */
  readonly running: readonly string[];
  /** Hours of the last two weeks by application. */
  readonly hours: ReadonlyMap<string, number>;
}

/** Reloads changed data. Must be used once, by the page. */
export function useRenewal({ scope, running, hours }: RenewalOptions): void {
  const renew = useRenew();
  const previousHours = useRef({ scope, running, hours });
  const renewAll = useEffectEvent((): void => void renew(() => true));
  const renewThese = useEffectEvent(
    (names: ReadonlySet<string>): void => void renew((query) => names.has(getApplication(query) ?? '')),
  );
  const renewSome = useEffectEvent((): void => {
    const hot = new Set([TOTAL, ...running, ...previousHours.current.running]);
    previousHours.current = { ...previousHours.current, running };
    void renew((query) => {
      const application = getApplication(query);
      return application === undefined || hot.has(application);
    });
  });
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | undefined;
    const all = (): void => {
      clearTimeout(later);
      later = undefined;
      renewAll();
    };
    const stops = [
      realtime.on(usageChanged, () => {
        renewSome();
        later ??= setTimeout(all, ALL_MS);
      }),
      realtime.on(categoriesChanged, all),
      realtime.onConnectionStateChange(() => {
        // The first time too: data loaded before the connection may have changed.
        if (realtime.getConnectionState() === 'connected') all();
      }),
    ];
    return () => {
      clearTimeout(later);
      for (const stop of stops) stop();
    };
  }, []);
  // At midnight the days and the last two weeks change, even without use.
  const today = useToday();
  const day = useRef(today);
  useEffect(() => {
    if (day.current === today) return;
    day.current = today;
    renewAll();
  }, [today]);
  // All hours arrive in one answer; applications with changed hours reload immediately, open or not.
  useEffect(() => {
    const before = previousHours.current;
    previousHours.current = { ...before, scope, hours };
    if (before.scope !== scope || before.hours.size === 0) return;
    const changed = new Set([...hours.keys()].filter((name) => hours.get(name) !== before.hours.get(name)));
    if (changed.size > 0) renewThese(changed);
  }, [hours, scope]);
}
