import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { realtime } from '#platform/web/socket.ts';
import { categoriesChanged, usageChanged } from '../../contract.ts';
import { TOTAL } from '../../contract/limits.ts';
import { SCREEN_TIME } from '../keys.ts';

/** Applications that are not open are asked for so often: an offline computer may hand in late what was used on it. */
const ALL_MS = 60_000;

/** The application that a query is of; undefined for other queries. */
const applicationOf = ({ queryKey }: Query): string | undefined =>
  queryKey[1] === 'application' ? String(queryKey[4]) : undefined;

/** Asks again for what has changed. Used once, by the page; `running` is what is open on a computer. */
export const useRenewal = (running: readonly string[]): void => {
  const queries = useQueryClient();
  const asked = useRef({ all: 0, running });
  const renew = useEffectEvent((isAll: boolean): void => {
    const now = Date.now();
    const before = asked.current;
    const everything = isAll || now - before.all >= ALL_MS;
    asked.current = { all: everything ? now : before.all, running };
    const hot = new Set([TOTAL, ...running, ...before.running]);
    const filter = {
      queryKey: [SCREEN_TIME],
      predicate: (query: Query): boolean => {
        const application = applicationOf(query);
        return everything || application === undefined || hot.has(application);
      },
    };
    // What is in flight for nobody would come as it was before, and count as fresh.
    void queries.cancelQueries({ ...filter, type: 'inactive' }).then(() => queries.invalidateQueries(filter));
  });
  useEffect(() => {
    asked.current.all = Date.now();
    const stops = [
      realtime.on(usageChanged, () => renew(false)),
      realtime.on(categoriesChanged, () => renew(true)),
      realtime.onLine(() => {
        // The first time too: what was asked for before it stood may have changed since.
        if (realtime.line() === 'connected') renew(true);
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, []);
};
