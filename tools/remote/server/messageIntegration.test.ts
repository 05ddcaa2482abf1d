import { expect } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { exportaccount } from '#tools/accounts/contract.ts';
import { retrievemessages, sendmessage } from '#tools/messages/contract.ts';
import { fileupload, keyboardinput, remotehistory } from '../contract.ts';
import { createHistoryStore } from './historyStore.ts';

const message = { inputtype: 1, inputValue: 'Grüße', timesent: 1_795_000_000.123 } as const;

testOnBothDatabases(
  'a message that a crash interrupted is shown as such, and is done once when it is sent again',
  async (storage) => {
    const { dataDir, databaseUrl } = storage;
    const { server, context } = await startServerWithContext({ dataDir, databaseUrl });
    await using _ = server;
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    const { id: device, target } = laptop;
    const { account } = await context.devices.getOwned(1, target);
    const interruptedMessage = {
      account,
      device,
      type: 1 as const,
      text: message.inputValue,
      timesent: message.timesent,
    };
    const id = await createHistoryStore(context.database).insert(interruptedMessage, 1000);
    const entry = { id, ...message, received: 1 };
    expect(await anna.call(remotehistory, { target })).toEqual({
      history: [
        {
          ...entry,
          outcome: 'The server stopped before the device responded. Check the computer before you send this again',
        },
      ],
    });
    for (let count = 0; count < 2; count += 1) await anna.call(keyboardinput, { content: { ...message, target } });
    expect(laptop.drivers.listTypedTexts()).toEqual(['Grüße']);
    expect(await anna.call(remotehistory, { target })).toEqual({ history: [{ ...entry, outcome: 'ok' }] });
  },
);

testOnBothDatabases('a browser accepts messages and nothing else', async (storage) => {
  const { dataDir, databaseUrl } = storage;
  const { server, context } = await startServerWithContext({ dataDir, databaseUrl });
  await using _ = server;
  const anna = await server.createAccount('anna');
  const { database, devices } = context;
  const browser = await database.transaction(({ tx }) =>
    devices.add(tx, { account: 1, kind: 'browser', name: 'Firefox on Linux' }),
  );
  const target = String(browser.id);
  await anna.call(sendmessage, { ...message, target });
  expect(await anna.call(retrievemessages, { target })).toMatchObject({ messages: ['Grüße'], sentby: ['anna'] });
  await expect(anna.call(keyboardinput, { content: { ...message, target } })).rejects.toThrow(
    'Firefox on Linux is a browser, so it only receives messages. Choose a computer',
  );
  expect(await anna.call(remotehistory, { target })).toEqual({ history: [] });
});

testOnBothDatabases('sent messages and scripts are in the account’s export, and in no log line', async (storage) => {
  await using server = await startServer({ dataDir: storage.dataDir, databaseUrl: storage.databaseUrl });
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const { id: device, target } = laptop;
  laptop.drivers.behave({ drops: ['ß'] });
  await anna.call(fileupload, { content: { name: 'geheim.sh', text: 'echo verborgen\n' } });
  const secret = { ...message, inputValue: 'Straße' };
  const sentence = new Refusal('remote.not_done', 'could not type: ß');
  await expect(anna.call(keyboardinput, { content: { ...secret, target } })).rejects.toThrow(sentence);
  await anna.call(sendmessage, { ...message, target, inputValue: 'vertraulich' });
  const { content } = await anna.call(exportaccount, { password: TEST_PASSWORD });
  const files = readZip(await content.bytes());
  const { timesent } = message;
  expect(readJsonFromZip(files, 'remote.json')).toMatchObject({
    scripts: [{ name: 'geheim.sh', text: 'echo verborgen\n' }],
    messages: [{ device, inputtype: 1, text: 'Straße', timesent, outcome: 'could not type: ß' }],
  });
  expect(readJsonFromZip(files, 'messages.json')).toMatchObject({
    messages: [{ device, sender: 'person', inputtype: 1, text: 'vertraulich', timesent }],
  });
  expect(server.log.join('')).not.toMatch(/geheim|verborgen|Straße|vertraulich/);
});
