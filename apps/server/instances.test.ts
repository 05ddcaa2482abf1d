import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { log } from '#platform/contract/session.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { createSharedDatabase } from '#testing/kits/server/database.ts';
import { startRedis, type TestRedis } from '#testing/kits/server/redis.ts';
import { startCluster, startServer, type TestAccount, type TestCluster } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { getSkipReason } from '#testing/machine.ts';
import { endsessions, serverstate } from '#tools/accounts/contract.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { keyboardinput } from '#tools/remote/contract.ts';

const skipReason = getSkipReason('initdb', 'redis-server');

describe.skipIf(skipReason !== undefined)(
  `several instances${skipReason === undefined ? '' : ` (${skipReason})`}`,
  () => {
    let redis: TestRedis;
    let cluster: TestCluster;
    let anna: TestAccount;
    beforeAll(async () => {
      redis = await startRedis();
      cluster = await startCluster({ redisUrl: redis.url });
      anna = await cluster.createAccount('anna');
    });
    afterAll(async () => {
      await cluster[Symbol.asyncDispose]();
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

    test('wrong passwords count at all instances together', async () => {
      const ben = await cluster.createAccount('ben');
      const wrong = { username: ben.name, password: 'not the password' };
      for (let attempt = 0; attempt < 5; attempt += 1)
        await expect(callAt(attempt % 2, anna)(log, wrong)).rejects.toThrow('Wrong username or password');
      for (const index of [0, 1])
        await expect(callAt(index, anna)(log, wrong)).rejects.toThrow('Too many wrong passwords');
    });

    test('the owner sees the instances, and one of them leads', async () => {
      const { instances } = await callAt(1, anna)(serverstate, {});
      expect(instances.map(({ name, role }) => [name, role])).toEqual([
        ['first', 'all'],
        ['second', 'all'],
      ]);
      expect(instances.filter(({ isLeader }) => isLeader)).toHaveLength(1);
    });

    test('without Redis pages and logins work, and everything works again once it is back', async () => {
      await redis.kill();
      const { token } = await callAt(0, anna)(log, { username: anna.name, password: anna.password });
      await callAt(1, { token })(checkdevices, {});
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
