import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { getMonday, parseIso } from '#platform/contract/day.ts';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { WebSiteContext, type WebSite } from '#platform/web/app/site.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import type { ActivitySource } from '#platform/web/tool.ts';
import { PLAIN_DAY } from '../domain/dayShares.ts';
import { DayColumn } from './DayColumn.tsx';
import { getDayStart } from './localDays.ts';
import { createSourcesQuery, createActivitiesQuery, useActivities } from './useActivities.ts';

const THURSDAY = parseIso('2026-11-19') ?? 0;
const MONDAY = getMonday(THURSDAY);

const screenTime: ActivitySource = {
  name: 'Screen time',
  listBetween: async (from, until) =>
    [
      {
        name: 'editor',
        from: getDayStart(THURSDAY) + 6 * HOUR_MS,
        until: getDayStart(THURSDAY) + 12 * HOUR_MS,
        colour: 'teal',
      },
      {
        name: 'film',
        from: getDayStart(THURSDAY) + 23 * HOUR_MS,
        until: getDayStart(THURSDAY) + 26 * HOUR_MS,
        colour: 'red',
      },
    ].filter((interval) => interval.from < until && interval.until > from),
};

function ShownDay({ day }: { readonly day: number }) {
  const { switches, intervals } = useActivities(MONDAY);
  return (
    <>
      {switches.map(({ name, isOn }) => (
        <p key={name}>
          {name} {isOn ? 'on' : 'off'}
        </p>
      ))}
      <DayColumn
        day={day}
        slots={[]}
        localDay={PLAIN_DAY}
        when="past"
        elapsed={undefined}
        openId={undefined}
        ghost={undefined}
        activities={intervals}
      />
    </>
  );
}

/** Renders the day in a site with these activity sources. */
async function renderDay(site: WebSite, day: number): Promise<string> {
  const queryClient = new QueryClient();
  if (site.activitySources.length > 0)
    for (const activities of await queryClient.query(createSourcesQuery(site)))
      await queryClient.query(createActivitiesQuery(activities, MONDAY));
  return renderToStaticMarkup(
    <QueryClientProvider client={queryClient}>
      <WebSiteContext value={site}>
        <ShownDay day={day} />
      </WebSiteContext>
    </QueryClientProvider>,
  );
}
const site = (...activities: readonly ActivitySource[]): WebSite => ({
  pages: [],
  settings: [],
  activitySources: activities.map((activity) => () => Promise.resolve(activity)),
  commands: [],
  resumeHandlers: [],
});

test('without activity sources there is no switch and no lane', async () => {
  browserStorage.set('timetable.doings', 'Screen time');
  const html = await renderDay(site(), THURSDAY);
  expect(html).not.toContain('Screen time');
  expect(html).not.toContain('What I actually did');
});

test('an activity source is offered, and shown only when it is switched on', async () => {
  browserStorage.set('timetable.doings', '');
  const html = await renderDay(site(screenTime), THURSDAY);
  expect(html).toContain('Screen time off');
  expect(html).not.toContain('What I actually did');
});

test('activities are beside the plan by their share of the day, and continue on the next day', async () => {
  browserStorage.set('timetable.doings', 'Screen time');
  const thursday = await renderDay(site(screenTime), THURSDAY);
  expect(thursday).toContain('What I actually did: editor, 06:00 to 12:00; film, 23:00 to 02:00');
  expect(thursday).toContain('top:25%;height:25%;background:teal');
  const friday = await renderDay(site(screenTime), THURSDAY + 1);
  expect(friday).toMatch(/top:0%;height:8\.33\d*%;background:red/);
  expect(friday).not.toContain('background:teal');
});
