import { setTimeout as sleep } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { deviceHello } from '#platform/contract/device.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { makeapppassword } from '#tools/accounts/contract.ts';
import { deleteevent, newevent } from '#tools/calendar/contract/events.ts';
import { makecalendarfeed } from '#tools/calendar/contract/exchange.ts';
import { paste } from '#tools/paste/contract.ts';
import { motion, motionInit, motionToDevice } from '#tools/remote/contract.ts';
import { getshoplist, modifyshoplist, NEW_LIST } from '#tools/shopping/contract.ts';
import type { BenchOwner } from '../bench/account.ts';
import { createNumberedEvent } from './stalling.ts';

/** Everything that runs a household's day in less time. */
export interface Household {
  readonly origin: string;
  readonly owner: BenchOwner;
  readonly computers: readonly { readonly token: string; readonly target: string }[];
}

/** How often each thing happens in a day. */
const TIMES_A_DAY = {
  openPage: 500,
  openPhone: 200,
  reportUsage: 1440,
  playSong: 150,
  changeList: 200,
  changeEvent: 60,
  fetchCalendar: 400,
  search: 100,
  readScreenTime: 100,
  paste: 40,
} as const;
const MOTION_EVENTS = 100;
const SONG_PART_BYTES = 262_143;

async function connect(origin: string, token: string): Promise<Socket> {
  const socket = io(origin, { path: SOCKET_PATH, transports: ['websocket'], forceNew: true, auth: { token } });
  await new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(undefined)).once('connect_error', reject);
  });
  return socket;
}

async function read(origin: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(origin + path, { headers });
  const bytes = await response.bytes();
  if (!response.ok || (headers['range'] !== undefined && response.status !== 206))
    throw new Error(`${path}: ${response.status}`);
  return new TextDecoder().decode(bytes.subarray(0, 100_000));
}

/** Uses a server like a household does in a day, within `ms`. @returns how often something was done. */
export async function playHouseholdDay({ origin, owner, computers }: Household, ms: number): Promise<number> {
  await using resources = new AsyncDisposableStack();
  const { token, call } = owner;
  const headers = { authorization: `Bearer ${token}` };
  const day = Temporal.Now.plainDateISO();
  const sockets: Socket[] = [];
  resources.defer(() => sockets.forEach((socket) => void socket.disconnect()));
  for (const computer of computers) {
    const socket = await connect(origin, computer.token);
    socket.on(motionToDevice.name, (_: unknown, acknowledge: () => void) => acknowledge());
    await socket.emitWithAck(deviceHello.name, { version: '0', system: 'load', abilities: { mouse: { able: true } } });
    sockets.push(socket);
  }
  const { path: feed = '' } = await call(makecalendarfeed, {});
  const { password: apiKey } = await call(makeapppassword, { name: `Player ${Date.now()}`, kind: 'music' });
  const player = new URLSearchParams({ apiKey, f: 'json' }).toString();
  const { id: list = NEW_LIST } = await call(modifyshoplist, { id: NEW_LIST, changes: { name: 'List' }, timesent: 0 });
  const boot = `household-${Date.now()}`;
  const start = Date.now();

  async function openPhone(number: number): Promise<void> {
    const { target } = computers[number % computers.length] ?? { target: '' };
    const phone = await connect(origin, token);
    await phone.emitWithAck(motionInit.name, { token, target });
    for (let event = 0; event < MOTION_EVENTS; event += 1) {
      phone.emit(motion.name, { ...createNumberedEvent(event), token, target });
      await sleep(12);
    }
    phone.disconnect();
  }
  async function openPage(number: number): Promise<void> {
    const paths = ['/', '/calendar', '/musicmusic', '/graphyv2', '/shopplanner', '/dashboard'];
    const page = await read(origin, paths[number % paths.length] ?? '/');
    const script = /src="([^"]+\.js)"/.exec(page)?.[1];
    if (script !== undefined) await read(origin, script);
    await Promise.all([
      read(origin, '/api/getevents?tz=Europe/Berlin', headers),
      read(origin, '/api/ytgetdata', headers),
    ]);
  }
  async function reportUsage(number: number): Promise<void> {
    const from = start - DAY_MS + number * MINUTE_MS;
    const segments = [{ app: `App ${number % 30}`, status: 'on', from, until: from + MINUTE_MS - 1 }];
    for (const computer of computers) {
      const response = await fetch(`${origin}/api/reportusage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${computer.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ boot, seq: number + 1, segments }),
      });
      await response.text();
    }
  }
  async function playSong(number: number): Promise<void> {
    const found = await read(origin, `/rest/search3?${player}&query=song%20${number}&songCount=1`);
    const id = /"song":\[\{"id":"([^"]+)"/.exec(found)?.[1] ?? '';
    for (let part = 0; part < 4; part += 1) {
      const first = part * (SONG_PART_BYTES + 1);
      await read(origin, `/rest/stream?${player}&id=${id}`, { range: `bytes=${first}-${first + SONG_PART_BYTES}` });
    }
  }
  async function changeEvent(number: number): Promise<void> {
    const date = day.add({ days: number % 60 }).toString();
    const { data } = await call(newevent, { data: { id: 0, name: `Appointment ${number}`, date } });
    if (number % 2 === 0) await call(deleteevent, { id: data.id });
  }
  async function changeList(number: number): Promise<void> {
    const changes = { items: { [`new${start}${number}`]: { name: `Milk ${number % 150}` } } };
    await call(modifyshoplist, { id: list, changes, timesent: Date.now() / 1000 });
    await call(getshoplist, { id: list });
  }
  const actions: Readonly<Record<keyof typeof TIMES_A_DAY, (number: number) => Promise<unknown>>> = {
    openPage,
    openPhone,
    reportUsage,
    playSong,
    changeList,
    changeEvent,
    fetchCalendar: () => read(origin, feed),
    search: (number) =>
      read(origin, `/api/eventssearch?tz=UTC&searchterm=${number % 3 ? 'review' : 'zeppelin'}`, headers),
    readScreenTime: () => read(origin, '/api/returnapplications?tz=Europe/Berlin', headers),
    paste: (number) => call(paste, { inputValue: `text ${number}` }),
  };
  let count = 0;
  async function repeat(name: keyof typeof TIMES_A_DAY): Promise<void> {
    const gapMs = ms / TIMES_A_DAY[name];
    for (let number = 0; number < TIMES_A_DAY[name]; number += 1) {
      await sleep(Math.max(0, start + number * gapMs - Date.now()));
      // What a slow machine leaves undone ends with the day.
      if (Date.now() > start + ms) return;
      await actions[name](number).catch((error: unknown) => {
        throw new Error(`${name} ${number}`, { cause: error });
      });
      count += 1;
    }
  }
  await Promise.all((Object.keys(actions) as (keyof typeof TIMES_A_DAY)[]).map(repeat));
  return count;
}
