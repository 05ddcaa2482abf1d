import { findPage } from '#platform/web/app/navigation.ts';
import type { WebPage } from '#platform/web/tool.ts';

/** The dropdown 'More pages' of the login page: value and label (specification 1, section 2). */
export const destinations: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'calendarv2', label: 'calendarv2' },
  { value: 'graphy', label: 'graphy' },
  { value: 'sleepstatus', label: 'sleepstatus' },
  { value: 'graphyv2', label: 'graphyv2' },
  { value: 'timetable', label: 'timetable' },
  { value: 'spmessage', label: 'spmessage' },
  { value: 'stopwatch', label: 'stopwatch' },
  { value: 'pastebin', label: 'pastebin' },
  { value: 'catsmmod', label: 'App category modder' },
  { value: 'dashboard', label: 'Remote access client' },
  { value: 'pagerouter', label: 'Page router' },
];

export const USUAL_PATH = '/pagerouter';

/** What a path is called on the login page: as in its dropdown, else by the title of its page. */
export const nameOfPath = (path: string, pages: readonly WebPage[]): string => {
  const value = path.slice(1);
  return destinations.find((each) => each.value === value)?.label ?? findPage(pages, path)?.title ?? value;
};
