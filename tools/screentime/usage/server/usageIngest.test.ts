import { request, type OutgoingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { startReporter, listStory, type ReportedSegment } from '#testing/kits/usage/reports.ts';
import { revokedevice } from '#tools/devices/contract.ts';
import { reportusage, usageChanged } from '../../contract.ts';
import { MAX_NAME_LENGTH, MAX_SEGMENTS_PER_REPORT } from '../../contract/limits.ts';

const NOW = Temporal.Instant.from('2026-11-22T20:00:00Z');
const BOOT = 'boot-0001';
const at = (text: string): number => Temporal.Instant.from(`2026-11-22T${text}Z`).epochMilliseconds;
const segment = (app: string, from: string, until: string, more: Partial<ReportedSegment> = {}): ReportedSegment => ({
  app,
  status: 'on',
  from: at(from),
  until: at(until),
  ...more,
});

const listDayStory = async (account: TestAccount, deviceid?: string) => listStory(account, '2026-11-22', deviceid);

testOnBothDatabases('reported usage counts once, however it is sent', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('anna');
  const { report } = await startReporter(server, anna);
  const first = [segment('Firefox', '10:00:00', '10:05:00'), segment('xterm', '10:05:00', '10:06:00')];
  expect(await report(1, first)).toEqual({ taken: 2 });
  // Sent again, then again with more; the open interval has grown meanwhile.
  expect(await report(1, first)).toEqual({ taken: 2 });
  const grown = segment('xterm', '10:05:00', '10:07:00');
  expect(await report(2, [grown, segment('Firefox', '10:07:00', '10:08:00')])).toEqual({ taken: 3 });
  const expectedStory = ['Firefox on 10:00:00 10:05:00', 'xterm on 10:05:00 10:07:00', 'Firefox on 10:07:00 10:08:00'];
  expect(await listDayStory(anna)).toEqual(expectedStory);
  // Out of order: nothing is accepted, and the answer has the missing number.
  expect(await report(7, [segment('Late', '11:00:00', '11:01:00')])).toEqual({ taken: 3, awaited: 4 });
  expect(await report(2, [grown])).toEqual({ taken: 3 });
  expect(await listDayStory(anna)).toEqual(expectedStory);
  // Lost; and the next boot counts from 1.
  expect(await report(7, [segment('Late', '11:00:00', '11:01:00')], { dropped: true })).toEqual({ taken: 7 });
  expect(await report(1, [segment('Late', '11:01:00', '11:02:00')], { boot: 'boot-0002' })).toEqual({ taken: 1 });
  expect(await report(20, [], { dropped: true })).toEqual({ taken: 19 });
  expect(await report(20, [])).toEqual({ taken: 19 });
  expect(await listDayStory(anna)).toEqual([...expectedStory, 'Late on 11:00:00 11:02:00']);
});

testOnBothDatabases('a computer has one focused application at a time, and others can be open', async (storage) => {
  await using server = await startServer({ databaseUrl: storage.databaseUrl, now: () => NOW });
  const anna = await server.createAccount('anna');
  const { report } = await startReporter(server, anna);
  const other = await startReporter(server, anna, 'Desk');
  await report(1, [segment('Firefox', '10:00:00', '10:10:00')]);
  // The clock was set back: the earlier record wins.
  await report(2, [
    segment('xterm', '09:55:00', '10:20:00'),
    segment('Music', '10:00:00', '10:30:00', { status: 's' }),
  ]);
  await report(4, [segment('Music', '10:20:00', '10:40:00', { status: 's' })]);
  await other.report(1, [segment('Firefox', '10:00:00', '10:10:00')]);
  expect((await listDayStory(anna)).toSorted()).toEqual([
    'Firefox on 10:00:00 10:10:00',
    'Firefox on 10:00:00 10:10:00',
    'Music s 10:00:00 10:40:00',
    'xterm on 09:55:00 10:00:00',
    'xterm on 10:10:00 10:20:00',
  ]);
});

/**
 * Returns the status of the answer to an incomplete report. The rest is never sent, because closing a connection during
 * an upload may lose the answer.
 */
async function answerToBeginning(
  origin: string,
  token: string,
  { headers = {}, beginning = '' }: { readonly headers?: OutgoingHttpHeaders; readonly beginning?: string },
): Promise<number | undefined> {
  const answered = Promise.withResolvers<number | undefined>();
  const sending = request(origin + reportusage.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
  });
  sending.once('response', ({ statusCode }) => answered.resolve(statusCode)).once('error', answered.reject);
  sending.flushHeaders();
  if (beginning !== '') sending.write(beginning);
  try {
    return await answered.promise;
  } finally {
    sending.once('error', () => undefined).destroy();
  }
}

testOnBothDatabases('invalid segments are refused and count as accepted', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('anna');
  const { report, call, token } = await startReporter(server, anna);
  const day = 86_400_000;
  const bad = [
    segment('Backwards', '10:00:00', '09:00:00'),
    segment('Tomorrow', '10:00:00', '10:00:01', { until: NOW.epochMilliseconds + day + 1 }),
    segment('Year 2099', '10:00:00', '10:00:01', { from: 4_070_908_800_000, until: 4_070_908_801_000 }),
    segment('Week', '10:00:00', '10:00:01', { from: at('10:00:00') - 7 * day }),
    segment('1970', '10:00:00', '10:00:01', { from: 0, until: 1000 }),
    segment('2000', '10:00:00', '10:00:01', { from: 946_684_800_000, until: 946_684_801_000 }),
    segment('2024', '10:00:00', '10:00:01', { from: 1_735_689_598_000, until: 1_735_689_599_000 }),
    segment('Later', '20:06:00', '20:07:00'),
    segment('x'.repeat(MAX_NAME_LENGTH + 1), '10:00:00', '10:01:00'),
    segment(' \u0000 ', '10:00:00', '10:01:00'),
  ];
  expect(await report(1, [...bad, segment('Good', '10:00:00', '10:01:00')])).toEqual({ taken: 11, refused: 10 });
  expect(await listDayStory(anna)).toEqual(['Good on 10:00:00 10:01:00']);
  // Any name is accepted.
  const names = ['total', "'; drop table x; --", '__proto__', '👋'.repeat(MAX_NAME_LENGTH), 'a\u0000b', '\ud800'];
  const wire = [
    'total (app)',
    "'; drop table x; --",
    '__proto__ (app)',
    '👋'.repeat(MAX_NAME_LENGTH),
    'a b',
    '\u{fffd}',
  ];
  expect(
    await report(
      12,
      names.map((name, index) => segment(name, `11:0${index}:00`, `11:0${index}:30`)),
    ),
  ).toEqual({
    taken: 17,
  });
  expect((await listDayStory(anna)).slice(1).map((line) => line.replace(/ on \S+ \S+$/, ''))).toEqual(wire);

  // A million segments are refused, in one report or many.
  const many = Array.from({ length: MAX_SEGMENTS_PER_REPORT + 1 }, () => segment('Much', '10:00:00', '10:00:01'));
  await expect(report(18, many)).rejects.toMatchObject({ status: 400 });
  const million = JSON.stringify({ boot: BOOT, seq: 18, segments: Array.from({ length: 1_000_000 }, () => many[0]) });
  const { bodyLimit = 0 } = reportusage;
  for (const started of [
    { headers: { 'content-length': million.length } },
    { beginning: million.slice(0, bodyLimit + 1) },
  ])
    expect(await answerToBeginning(server.origin, token, started)).toBe(413);
  expect(await report(18, [segment('Next', '12:00:00', '12:01:00')])).toEqual({ taken: 18 });
  expect(await listDayStory(anna)).not.toContainEqual(expect.stringContaining('Much'));
  await expect(call(reportusage, { boot: BOOT, seq: Number.MAX_SAFE_INTEGER, segments: [] })).rejects.toThrow('seq');
  expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);
});

testOnBothDatabases('usage in the future is cut at now, and extended later', async ({ databaseUrl }) => {
  let time = NOW;
  await using server = await startServer({ databaseUrl, now: () => time });
  const anna = await server.createAccount('anna');
  const { report } = await startReporter(server, anna);
  // Its clock is two hours ahead.
  expect(await report(1, [segment('Firefox', '19:30:00', '22:00:00')])).toEqual({ taken: 1 });
  expect(await listDayStory(anna)).toEqual(['Firefox on 19:30:00 20:00:00']);
  time = NOW.add({ minutes: 10 });
  expect(await report(1, [segment('Firefox', '19:30:00', '22:10:00')])).toEqual({ taken: 1 });
  expect(await listDayStory(anna)).toEqual(['Firefox on 19:30:00 20:10:00']);
  // A clock that is three minutes ahead loses nothing, and nothing is shown after now.
  const late = await startReporter(server, anna, 'Desk');
  expect(await late.report(1, [segment('Code', '20:00:00', '20:13:00')])).toEqual({ taken: 1 });
  expect(await listDayStory(anna, String(late.id))).toEqual(['Code on 20:00:00 20:10:00']);
  time = NOW.add({ minutes: 20 });
  expect(await listDayStory(anna, String(late.id))).toEqual(['Code on 20:00:00 20:13:00']);
});

testOnBothDatabases('a removed computer can’t report, and its hours stay', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const { id, report } = await startReporter(server, anna);
  await using page = await openSocket(server, { token: anna.token });
  await report(1, [segment('Firefox', '10:00:00', '10:05:00', { title: 'News' })]);
  expect(await page.nextEvent(usageChanged)).toEqual({});
  await anna.call(revokedevice, { id });
  await expect(report(2, [segment('Firefox', '10:05:00', '10:06:00')])).rejects.toThrow('invalid token');
  expect(await listDayStory(anna, String(id))).toEqual(['Firefox on 10:00:00 10:05:00 News']);
  // Other accounts have nothing.
  expect(await listDayStory(bob)).toEqual([]);
  await expect(listDayStory(bob, String(id))).rejects.toThrow('There is no such device');
});
