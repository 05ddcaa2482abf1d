import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionBus } from '@homebridge/dbus-native';
import { expect, test } from 'vitest';
import { COMMAND_TIMEOUT_MS } from '#platform/contract/command.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startPrivateBus } from '#testing/kits/desktop/privateBus.ts';
import { getSkipReason } from '#testing/machine.ts';
import { callBus, hasNameOwner } from '../sessionBus.ts';
import { connectIbus } from './ibus.ts';

const IBUS_NAME = 'org.freedesktop.IBus';
const HANGS = "The input method of that computer (IBus) is not responding. Run 'ibus restart' there";
const skipReason = getSkipReason('dbus-run-session');

interface FakeIbus {
  readonly address: string;
  readonly service: SessionBus;
  /** What answers each request for an engine. */
  readonly answers: (() => void)[];
  readonly selectEngine: (name: string) => void;
}

const toDescription = (name: string) => ['(sa{sv}s)', ['IBusEngineDesc', [], name]];

/** Starts an IBus that accepts our engine. The user's is `xkb:de::ger`. */
async function startIbus(): Promise<FakeIbus> {
  const { address, connect } = await startPrivateBus();
  const service = connect();
  const answers: (() => void)[] = [];
  const ibus = {
    RegisterComponent: () => undefined,
    GlobalEngine: toDescription('xkb:de::ger'),
    SetGlobalEngine: (name: string) =>
      new Promise<void>((resolve) => {
        answers.push(() => {
          selectEngine(name);
          resolve();
        });
      }),
  };
  function selectEngine(name: string): void {
    ibus.GlobalEngine = toDescription(name);
  }
  service.exportInterface(ibus, '/org/freedesktop/IBus', {
    name: IBUS_NAME,
    methods: { RegisterComponent: ['v', ''], SetGlobalEngine: ['s', ''] },
    properties: { GlobalEngine: 'v' },
  });
  service.requestName(IBUS_NAME, 0, () => undefined);
  const bus = connect();
  await waitFor('IBus runs', () => hasNameOwner(bus, IBUS_NAME));
  return { address, service, answers, selectEngine };
}

test.skipIf(skipReason).each([
  ['when it is opened', false],
  ['later', true],
])(
  `an IBus that hangs %s is named before the command ends${skipReason === undefined ? '' : `: ${skipReason}`}`,
  async (_, isConnected) => {
    const { address, service } = await startIbus();
    const engines: (string | undefined)[] = [];
    const connect = () => connectIbus({ address, onEngineReplaced: (engine) => void engines.push(engine) });
    const connection = isConnected ? await connect() : undefined;
    service.connection.removeAllListeners('message');
    const opening = connection ? connection.openTextField({ isPatient: true, isX11: false }) : connect();
    await expect(Promise.race([opening, sleep(COMMAND_TIMEOUT_MS)])).rejects.toThrow(HANGS);
    expect(engines).toEqual([]);
    connection?.[Symbol.dispose]();
  },
);

test.skipIf(skipReason)('an IBus that wakes up late does not end the use of our engine by the next text', async () => {
  const { address, answers } = await startIbus();
  const engines: (string | undefined)[] = [];
  using connection = await connectIbus({ address, onEngineReplaced: (engine) => void engines.push(engine) });
  const open = () => connection.openTextField({ isPatient: true, isX11: false });
  await expect(open()).rejects.toThrow(HANGS);
  await waitFor('the engine of the user is requested', async () => answers.length === 2);
  const opening = open();
  await waitFor('our engine is requested again', async () => answers.length === 3);
  for (const answer of answers) answer();
  await waitFor('no text field has the focus', async () => answers.length === 4);
  expect(engines).toEqual(['xkb:de::ger', 'xkb:de::ger']);
  answers.at(-1)?.();
  expect(await opening).toBeUndefined();
  expect(engines.at(-1)).toBeUndefined();
});

/** Does what IBus does when our engine comes into use while a text field has the focus. */
async function focusOurEngine(service: SessionBus): Promise<void> {
  const destination = `org.pegboard.IBus.process${process.pid}`;
  const factory = { path: '/org/freedesktop/IBus/Factory', interface: 'org.freedesktop.IBus.Factory' } as const;
  const path = await callBus(service, { destination, ...factory, member: 'CreateEngine', signature: 's', body: [''] });
  const engine = { destination, path: String(path), interface: 'org.freedesktop.IBus.Engine' } as const;
  await callBus(service, { ...engine, member: 'FocusInId', signature: 'ss', body: ['/context', 'gtk4-im'] });
}

test.skipIf(skipReason)('an input method that the user selects while a text field is open stays', async () => {
  const { address, service, answers, selectEngine } = await startIbus();
  const engines: (string | undefined)[] = [];
  using connection = await connectIbus({ address, onEngineReplaced: (engine) => void engines.push(engine) });
  const opening = connection.openTextField({ isPatient: true, isX11: false });
  await waitFor('our engine is requested', () => answers.length === 1);
  await focusOurEngine(service);
  answers[0]?.();
  const field = await opening;
  expect(await field?.isReplaced()).toBe(false);
  selectEngine('libpinyin');
  expect(await field?.isReplaced()).toBe(true);
  await field?.[Symbol.asyncDispose]();
  expect(answers).toHaveLength(1);
  expect(engines).toEqual(['xkb:de::ger', undefined]);
});

test.skipIf(skipReason)(
  'our engine is selected again if the user selects another while it comes into use',
  async () => {
    const { address, service, answers, selectEngine } = await startIbus();
    const engines: (string | undefined)[] = [];
    using connection = await connectIbus({ address, onEngineReplaced: (engine) => void engines.push(engine) });
    const opening = connection.openTextField({ isPatient: true, isX11: false });
    await waitFor('our engine is requested', () => answers.length === 1);
    answers[0]?.();
    selectEngine('libpinyin');
    await waitFor('our engine is requested again', () => answers.length === 2);
    await focusOurEngine(service);
    answers[1]?.();
    const closing = (await opening)?.[Symbol.asyncDispose]();
    await waitFor('the engine of the user is requested', () => answers.length === 3);
    answers[2]?.();
    await closing;
    expect(engines).toEqual(['xkb:de::ger', 'libpinyin', undefined]);
  },
);

test.skipIf(skipReason)('an IBus that hangs while a text field is open does not keep it open', async () => {
  const { address, service, answers } = await startIbus();
  using connection = await connectIbus({ address, onEngineReplaced: () => undefined });
  const opening = connection.openTextField({ isPatient: true, isX11: false });
  await waitFor('our engine is requested', () => answers.length === 1);
  await focusOurEngine(service);
  answers[0]?.();
  const field = await opening;
  service.connection.removeAllListeners('message');
  const commandEnd = sleep(COMMAND_TIMEOUT_MS, 'the command has ended');
  await expect(connection.sync()).rejects.toThrow(HANGS);
  expect(await Promise.race([field?.[Symbol.asyncDispose](), commandEnd])).toBeUndefined();
});
