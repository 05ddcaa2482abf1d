import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { calendarfeed, endcalendarfeed, makecalendarfeed } from '../../contract/exchange.ts';
import type { Calendar } from '../../events/server/calendar.ts';
import { feedStore } from './feedStore.ts';

const pathOf = (secret: string | undefined) => (secret === undefined ? {} : { path: `/calendar/feed/${secret}.ics` });

export const feedCalls = ({ database }: ServerContext, _calendar: Calendar): readonly Handler[] => {
  const store = feedStore(database);
  return [
    handle(calendarfeed, async (_request, { account }) => pathOf(await store.secretOf(account))),
    handle(makecalendarfeed, async (_request, { account }) => pathOf(await store.make(account))),
    handle(endcalendarfeed, async (_request, { account }) => {
      await store.end(account);
      return {};
    }),
  ];
};
