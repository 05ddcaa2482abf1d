import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { COMMAND_EVENT } from '#platform/contract/command.ts';
import { deviceHello } from '#platform/contract/device.ts';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { log, logout } from '#platform/contract/session.ts';
import { openRedis } from '#platform/server/cluster/redis.ts';
import { pairComputer } from '#testing/bench/account.ts';
import { type AiServer, startAiServer } from '#testing/kits/chat/aiServer.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { openDownloadsPage } from '#testing/kits/media/downloads.ts';
import { createSharedDatabase } from '#testing/kits/server/database.ts';
import { startRedis, type TestRedis } from '#testing/kits/server/redis.ts';
import { startCluster, startServer, type TestAccount, type TestCluster } from '#testing/kits/server/server.ts';
import { openSocket, type TestSocketOptions } from '#testing/kits/server/socket.ts';
import { getSkipReason } from '#testing/machine.ts';
import { endsessions, serverstate } from '#tools/accounts/contract.ts';
import { aidatain, aiq } from '#tools/ai/contract.ts';
import { importevents } from '#tools/calendar/contract/exchange.ts';
import { fetchclipboard, sendclipboard } from '#tools/clipboard/contract.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { messageArrived, sendmessage } from '#tools/messages/contract.ts';
import { audioset, mixerargs, setvolumefront } from '#tools/mixer/contract.ts';
import { ytdownload } from '#tools/music/contract.ts';
import { keyboardinput, motion, motionToDevice } from '#tools/remote/contract.ts';
import { modifyshoplist, NEW_LIST, shoplistChanges, shoplistsChanged } from '#tools/shopping/contract.ts';

const skipReason = getSkipReason('initdb', 'redis-server');

describe.skipIf(skipReason !== undefined)(
  `several instances${skipReason === undefined ? '' : ` (${skipReason})`}`,
  () => {
    let redis: TestRedis;
    let ai: AiServer;
    let cluster: TestCluster;
    let anna: TestAccount;
    beforeAll(async () => {
      redis = await startRedis();
      ai = await startAiServer();
      cluster = await startCluster({ redisUrl: redis.url, environment: ai.environment });
      anna = await cluster.createAccount('anna');
    });
    afterAll(async () => {
      await cluster[Symbol.asyncDispose]();
      await ai[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    });
    const getInstance = (index: number) => {
      const instance = cluster.instances[index];
      if (!instance) throw new Error(`there is no instance ${index}`);
      return instance;
    };
    const callAt = (index: number, { token }: Pick<TestAccount, 'token'>) =>
      createClient({ origin: getInstance(index).origin, token: () => token });

    test('a session that ends at one instance ends at the other, and its sockets close', async () => {
      const { token } = await callAt(0, anna)(log, { username: anna.name, password: anna.password });
      await using socket = await openSocket(getInstance(1), { token });
      await callAt(0, anna)(endsessions, {});
      expect(await socket.closed).toBe('session ended');
      await expect(callAt(1, { token })(checkdevices, {})).rejects.toThrow('invalid token');
    });

    test('a text that is sent to one instance is typed by a computer at the other', async () => {
      await using laptop = await startDevice(getInstance(0), anna);
      await waitFor('both instances know the computer', async () => {
        const { status } = await callAt(1, anna)(checkdevices, {});
        return status.some((entry) => entry.includes(laptop.target) && entry.includes('Connected'));
      });
      await callAt(1, anna)(keyboardinput, {
        content: { inputtype: 1, inputValue: 'hello', target: laptop.target, timesent: Date.now() / 1000 },
      });
      expect(laptop.drivers.listTypedTexts()).toEqual(['hello']);
    });

    test('a page sees sound and clipboard of a computer at the other instance, and sets them', async () => {
      await using laptop = await startDevice(getInstance(0), anna);
      const { target, drivers } = laptop;
      const call = callAt(1, anna);
      await using page = await openSocket(getInstance(1), anna);
      drivers.play({ sessions: [{ name: 'Film', level: 40, muted: false, colour: '#4f86f7' }], outputs: [] });
      await waitFor('the page knows the film', async () => {
        const levels = await call(mixerargs, { type: 'client', target }).catch(() => undefined);
        return levels?.data['Film']?.level === 40;
      });
      expect(await page.nextEvent(setvolumefront)).toMatchObject({ Film: { level: 40 } });
      await page.request(audioset, { audio: { Film: { level: 10, muted: true } }, target });
      expect(await page.nextEvent(setvolumefront)).toMatchObject({ Film: { level: 10, muted: true } });
      await call(sendclipboard, { content: { target, text: 'copied' } });
      expect(await call(fetchclipboard, { content: { target } })).toEqual({ text: 'copied' });
    });

    /** Connects a plain computer, which the test answers for. */
    async function connectComputer(index: number, token: string, takes: TestSocketOptions['takes'] = {}) {
      const computer = await openSocket(getInstance(index), { token, takes });
      const abilities = { mouse: { able: true }, keyboard: { able: true } };
      await computer.request(deviceHello, { version: '0', system: 'test', abilities });
      return computer;
    }

    test('of the motion for a computer at the other instance that is busy, the newest event arrives', async () => {
      const { token, target } = await pairComputer(cluster.origin, anna);
      const received: { readonly alpha: number; readonly acknowledge: () => void }[] = [];
      await using _ = await connectComputer(0, token, {
        [motionToDevice.name]: (data: { readonly orientation: { readonly alpha: number } }, acknowledge: () => void) =>
          received.push({ alpha: data.orientation.alpha, acknowledge }),
      });
      await using phone = await openSocket(getInstance(1), anna);
      const send = (alpha: number) =>
        phone.request(motion, {
          orientation: { alpha, beta: 0, gamma: 0 },
          reset: { lmb: false, lift: false, scroll: false },
          target,
        });
      await waitFor('the first event arrives', async () => {
        await send(0);
        return received.length > 0;
      });
      for (let alpha = 1; alpha <= 20; alpha += 1) await send(alpha);
      await callAt(0, anna)(checkdevices, {});
      for (const { acknowledge } of received.slice()) acknowledge();
      await waitFor('the newest arrives', () => received.at(-1)?.alpha === 20);
      expect(received.length).toBeLessThan(20);
    });

    test('a computer that moves to the other instance during a command gets it again with the same id', async () => {
      const { token, target } = await pairComputer(cluster.origin, anna);
      const ids: string[] = [];
      const first = await connectComputer(0, token, { [COMMAND_EVENT]: ({ id }: { id: string }) => ids.push(id) });
      const typed = callAt(1, anna)(keyboardinput, {
        content: { inputtype: 1, inputValue: 'moved', target, timesent: Date.now() / 1000 },
      });
      await waitFor('the command arrives', () => ids.length === 1);
      first.raw.disconnect();
      await using _ = await connectComputer(1, token, {
        [COMMAND_EVENT]: ({ id }: { id: string }, answer) => {
          ids.push(id);
          answer({ message: 'ok', dropped: [] });
        },
      });
      await typed;
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
    });

    test('pages at one instance see messages, lists, downloads and answers that change at the other', async () => {
      const [here, there] = [callAt(0, anna), getInstance(1)];
      await using page = await openSocket(there, anna);
      const { target } = await pairComputer(cluster.origin, anna);
      await here(sendmessage, { inputtype: 1, inputValue: 'hello', target, timesent: 1 });
      expect(await page.nextEvent(messageArrived)).toMatchObject({ target });
      const { id = 0 } = await here(modifyshoplist, { id: NEW_LIST, changes: { name: 'List' }, timesent: 1 });
      await page.nextEvent(shoplistsChanged);
      await here(modifyshoplist, { id, changes: { items: { new1: { name: 'Milk' } } }, timesent: 1 });
      expect(await page.nextEvent(shoplistChanges)).toMatchObject({ id });
      await using downloadsPage = await openDownloadsPage(there, anna);
      await here(ytdownload, { url: 'http://127.0.0.1:1/song' });
      await downloadsPage.waitForChange(() => true);
      await using visitor = await openSocket(there);
      await visitor.request(connectEvent, { message: 'aiquery' });
      await visitor.request(roomInit, { id: '0' });
      const { answerid } = await getInstance(0).call(aiq, { q: 'hello', id: '0' });
      (await ai.nextQuestion()).sendPiece('world');
      expect(await visitor.nextEvent(aidatain)).toMatchObject({ answerid, data: 'world' });
      for (const index of [1, 0]) await getInstance(index).call(aiq, { q: 'more', id: '0' });
      await expect(there.call(aiq, { q: 'too many', id: '0' })).rejects.toThrow('3 answers are still running here');
    });

    test('an event that is imported at both instances at the same time is created once', async () => {
      const text =
        'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:one\nSUMMARY:One\nDTSTART;VALUE=DATE:20261203\nEND:VEVENT\nEND:VCALENDAR\n';
      const results = await Promise.all([0, 1, 0, 1].map((index) => callAt(index, anna)(importevents, { text })));
      expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(1);
    });

    test('wrong passwords count at all instances together, until Redis is emptied', async () => {
      const ben = await cluster.createAccount('ben');
      const wrong = { username: ben.name, password: 'not the password' };
      for (let attempt = 0; attempt < 5; attempt += 1)
        await expect(callAt(attempt % 2, anna)(log, wrong)).rejects.toThrow('Wrong username or password');
      for (const index of [0, 1])
        await expect(callAt(index, anna)(log, wrong)).rejects.toThrow('Too many wrong passwords');
      const client = await openRedis({ url: redis.url, prefix: '', log: pino({ enabled: false }) });
      await client.run((commands) => commands.flushAll());
      await client[Symbol.asyncDispose]();
      await expect(callAt(1, anna)(log, wrong)).rejects.toThrow('Wrong username or password');
      await callAt(0, anna)(log, { username: ben.name, password: ben.password });
    });

    test('the owner sees the instances, and one of them leads', async () => {
      const { instances } = await callAt(1, anna)(serverstate, {});
      expect(instances.map(({ name, role }) => [name, role])).toEqual([
        ['first', 'all'],
        ['second', 'all'],
      ]);
      expect(instances.filter(({ isLeader }) => isLeader)).toHaveLength(1);
    });

    test('without Redis pages, logins and logouts work, and everything works again once it is back', async () => {
      await redis.kill();
      const { token } = await callAt(0, anna)(log, { username: anna.name, password: anna.password });
      await callAt(1, { token })(checkdevices, {});
      await using socket = await openSocket(getInstance(1), { token });
      await callAt(0, { token })(logout, {});
      expect(await socket.closed).toBe('session ended');
      await redis.restart();
      await waitFor('both are ready', async () => {
        const answers = await Promise.all(cluster.instances.map(({ origin }) => fetch(`${origin}/readyz`)));
        return answers.every(({ ok }) => ok);
      });
      await using laptop = await startDevice(getInstance(0), anna);
      await waitFor('the other instance knows the computer', async () => {
        const { status } = await callAt(1, anna)(checkdevices, {});
        return status.some((entry) => entry.includes(laptop.target) && entry.includes('Connected'));
      });
    });

    test('when an instance stops, the other one leads, and computers reconnect to it', async () => {
      await using laptop = await startDevice(cluster, anna);
      await cluster.stopInstance(0);
      await waitFor('the other instance leads alone', async () => {
        const { instances } = await callAt(1, anna)(serverstate, {});
        return instances.length === 1 && instances[0]?.isLeader === true;
      });
      await waitFor('the computer is connected', async () => {
        const { status } = await callAt(1, anna)(checkdevices, {});
        return status.some((entry) => entry.includes(laptop.target) && entry.includes('Connected'));
      });
      await callAt(1, anna)(keyboardinput, {
        content: { inputtype: 1, inputValue: 'again', target: laptop.target, timesent: Date.now() / 1000 },
      });
      expect(laptop.drivers.listTypedTexts()).toEqual(['again']);
    });

    // Last, because it waits for longer than idle connections stay open.
    test('without Redis, a second instance on the same database refuses to start', async () => {
      const databaseUrl = await createSharedDatabase();
      await using _ = await startServer({ databaseUrl });
      await expect(startServer({ databaseUrl })).rejects.toThrow('Another Pegboard is using this PostgreSQL database');
    });
  },
);
