import type { SessionBus } from '@homebridge/dbus-native';
import { expect, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startPrivateBus } from '#testing/kits/desktop/privateBus.ts';
import { getSkipReason } from '#testing/machine.ts';
import { hasNameOwner } from '../sessionBus.ts';
import { connectIbus } from './ibus.ts';

const IBUS_NAME = 'org.freedesktop.IBus';
const HANGS = "The input method of that computer (IBus) is not responding. Run 'ibus restart' there";
/** Shorter than the time that a command has. */
const MAX_ANSWER_MS = 4500;
const skipReason = getSkipReason('dbus-run-session');

/** Starts an IBus that accepts our engine. */
async function startIbus(): Promise<{ readonly address: string; readonly service: SessionBus }> {
  const { address, connect } = await startPrivateBus();
  const service = connect();
  service.exportInterface({ RegisterComponent: () => undefined }, '/org/freedesktop/IBus', {
    name: IBUS_NAME,
    methods: { RegisterComponent: ['v', ''] },
  });
  service.requestName(IBUS_NAME, 0, () => undefined);
  const bus = connect();
  await waitFor('IBus runs', () => hasNameOwner(bus, IBUS_NAME));
  return { address, service };
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
    const startedAt = performance.now();
    const opening = connection ? connection.openTextField({ isPatient: true, isX11: false }) : connect();
    await expect(opening).rejects.toThrow(HANGS);
    expect(performance.now() - startedAt).toBeLessThan(MAX_ANSWER_MS);
    expect(engines).toEqual([]);
    connection?.[Symbol.dispose]();
  },
);
