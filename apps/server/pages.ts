import type { Page } from '#platform/contract/page.ts';
import * as accounts from '#tools/accounts/page.ts';
import * as ai from '#tools/ai/page.ts';
import * as birds from '#tools/birds/page.ts';
import * as calendar from '#tools/calendar/page.ts';
import * as chatstatus from '#tools/chatstatus/page.ts';
import * as devices from '#tools/devices/page.ts';
import * as gallery from '#tools/gallery/page.ts';
import * as home from '#tools/home/page.ts';
import * as messages from '#tools/messages/page.ts';
import * as mixer from '#tools/mixer/page.ts';
import * as music from '#tools/music/page.ts';
import * as paste from '#tools/paste/page.ts';
import * as remote from '#tools/remote/page.ts';
import * as screentime from '#tools/screentime/page.ts';
import * as selfcheck from '#tools/selfcheck/page.ts';
import * as shopping from '#tools/shopping/page.ts';
import * as timer from '#tools/timer/page.ts';
import * as timetable from '#tools/timetable/page.ts';
import * as trust from '#tools/trust/page.ts';

const tools: readonly Readonly<Record<string, Page>>[] = [
  accounts,
  ai,
  birds,
  calendar,
  chatstatus,
  devices,
  gallery,
  home,
  messages,
  mixer,
  music,
  paste,
  remote,
  screentime,
  selfcheck,
  shopping,
  timer,
  timetable,
  trust,
];

/** All pages that tools declare. */
export const pageList: readonly Page[] = tools.flatMap((tool) => Object.values(tool));

/** Paths of all pages. The server responds 404 to any other. */
export const pages: readonly string[] = pageList.map(({ path }) => path);
