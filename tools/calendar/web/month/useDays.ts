import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { eventsbetween } from '../../contract/events.ts';
import { toIso, type Day } from '../../events/domain/day.ts';
import { knownDay } from '../../events/domain/monthGrid.ts';
import { keys } from '../selection.ts';

export interface DayRange {
  readonly from: Day;
  readonly until: Day;
}

const spanOptions = (span: DayRange) => {
  const from = toIso(knownDay(span.from));
  const until = toIso(knownDay(span.until));
  return queryOptions({
    queryKey: keys.between(from, until),
    queryFn: () => call(eventsbetween, { from, until, tz: getTimeZone() }),
    // While the line stands every change is told.
    staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
  });
};

/** The events of some days; those of the neighbours are asked for ahead, so that paging shows them at once. */
export const useDays = (span: DayRange, neighbours: readonly DayRange[]) => {
  const queries = useQueryClient();
  const days = useQuery(spanOptions(span));
  const { isSuccess } = days;
  const ahead = JSON.stringify(neighbours);
  useEffect(() => {
    if (!isSuccess) return;
    for (const neighbour of JSON.parse(ahead) as readonly DayRange[])
      // What fails is asked for again, and told, when it is turned to.
      void queries.query(spanOptions(neighbour)).catch(() => undefined);
  }, [queries, isSuccess, ahead]);
  return days;
};
