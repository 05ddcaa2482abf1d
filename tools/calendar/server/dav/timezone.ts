/** Years before and behind now whose changes of the clock are told. */
const YEARS_BACK = 2;
const YEARS_ON = 8;

const two = (value: number): string => String(value).padStart(2, '0');

const offsetText = (nanoseconds: number): string => {
  const minutes = Math.round(Math.abs(nanoseconds) / 60e9);
  return `${nanoseconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
};

const wallText = ({ year, month, day, hour, minute }: Temporal.PlainDateTime): string =>
  `${String(year).padStart(4, '0')}${two(month)}${two(day)}T${two(hour)}${two(minute)}00`;

interface Turn {
  readonly from: number;
  readonly to: number;
  /** Wall clock before the turn. */
  readonly at: Temporal.PlainDateTime;
}

const turnsOf = (zone: string, now: Temporal.Instant): readonly Turn[] => {
  let at = now.toZonedDateTimeISO(zone).subtract({ years: YEARS_BACK });
  const last = at.add({ years: YEARS_BACK + YEARS_ON });
  const turns: Turn[] = [
    { from: at.offsetNanoseconds, to: at.offsetNanoseconds, at: at.toPlainDateTime().round('minute') },
  ];
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || Temporal.ZonedDateTime.compare(next, last) > 0) return turns;
    const from = next.subtract({ nanoseconds: 1 }).offsetNanoseconds;
    const before = next.toPlainDateTime().add({ nanoseconds: from - next.offsetNanoseconds });
    turns.push({ from, to: next.offsetNanoseconds, at: before });
    at = next;
  }
};

/** A zone as iCalendar knows zones: by the changes of its clock, written out for some years. */
export const timezoneText = (zone: string, now: Temporal.Instant): string => {
  const turns = turnsOf(zone, now);
  const standard = Math.min(...turns.map(({ to }) => to));
  const parts = turns.flatMap(({ from, to, at }) => {
    const kind = to > standard ? 'DAYLIGHT' : 'STANDARD';
    return [
      `BEGIN:${kind}`,
      `DTSTART:${wallText(at)}`,
      `TZOFFSETFROM:${offsetText(from)}`,
      `TZOFFSETTO:${offsetText(to)}`,
      `END:${kind}`,
    ];
  });
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Pegboard//Calendar//EN',
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...parts,
    'END:VTIMEZONE',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
};
