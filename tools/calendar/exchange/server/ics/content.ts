import type { EventDraft, DayPattern } from '#tools/calendar/events/domain/event.ts';

const toldUntil = (until: { readonly type: string; readonly day?: number; readonly times?: number }): unknown => [
  until.type,
  until.day ?? until.times ?? 0,
];

/** Days of other calendars' rules move with the day on which they are worked out: the rule is what counts. */
const told = (pattern: DayPattern): unknown => {
  if (pattern.kind === 'foreign') return pattern.rule;
  if (pattern.kind === 'duration') return [pattern.duration.amount, pattern.duration.unit];
  if (pattern.kind === 'single') return undefined;
  const { every, unit, from, until } = pattern.repeat;
  return [every, unit, from.type === 'forever' ? from.type : [from.type, from.day], toldUntil(until)];
};

/** When an event is, to be compared; days left out are not in it. */
export const whenContent = ({ day, time, endTime, endDays, zone, pattern }: EventDraft): string =>
  JSON.stringify([day, time, endTime, endDays ?? 0, zone, pattern.kind, told(pattern)]);

/** All that an event says, to be compared. */
export const contentOf = (draft: EventDraft): string => {
  const { name, description, exceptions, tags, pinned } = draft;
  return JSON.stringify([name, description, whenContent(draft), exceptions, tags, pinned]);
};
