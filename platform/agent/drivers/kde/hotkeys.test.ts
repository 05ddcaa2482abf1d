import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionBus } from '@homebridge/dbus-native';
import { expect, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startPrivateBus } from '#testing/kits/desktop/privateBus.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { KeyChord } from '../drivers.ts';
import { hasNameOwner } from '../sessionBus.ts';
import { openKdeHotkeys } from './hotkeys.ts';

const SERVICE_NAME = 'org.kde.kglobalaccel';
const F9: KeyChord = { modifiers: [], key: 'F9' };
const skipReason = getSkipReason('dbus-run-session');

/** Offers the methods of KDE's service that the agent calls. It accepts all keys. */
function offerService(bus: SessionBus): void {
  const service = {
    allActionsForComponent: () => [],
    action: () => [],
    doRegister: () => undefined,
    setShortcut: (_action: readonly string[], keys: readonly number[]) => keys,
    setInactive: () => undefined,
    unregister: () => true,
  };
  bus.exportInterface(service, '/kglobalaccel', {
    name: 'org.kde.KGlobalAccel',
    methods: {
      allActionsForComponent: ['as', 'aas'],
      action: ['i', 'as'],
      doRegister: ['as', ''],
      setShortcut: ['asaiu', 'ai'],
      setInactive: ['as', ''],
      unregister: ['ss', 'b'],
    },
  });
  bus.requestName(SERVICE_NAME, 0, () => undefined);
}

/** Starts KDE's service on a bus of its own. */
async function startService() {
  const { connect } = await startPrivateBus();
  const [bus, service] = [connect(), connect()];
  offerService(service);
  await waitFor('the service runs', () => hasNameOwner(bus, SERVICE_NAME));
  return { bus, service };
}

test.skipIf(skipReason)(
  `without KDE's service hotkeys are refused with a sentence, and the agent still types${skipReason === undefined ? '' : `: ${skipReason}`}`,
  async () => {
    const { bus, service } = await startService();
    await using hotkeys = await openKdeHotkeys(bus);
    const refusal = [[0, "The desktop of that computer doesn't register hotkeys now. Set the hotkeys again"]];
    const statuses: (readonly (readonly [number, string])[])[] = [];
    const listen = (): void =>
      hotkeys.listen([F9], {
        onPress: () => undefined,
        onStatus: (refused) => void statuses.push([...refused]),
      });
    listen();
    await expect.poll(() => statuses).toEqual([[]]);
    service.connection.end();
    await waitFor('the service has ended', async () => !(await hasNameOwner(bus, SERVICE_NAME)));
    expect(await hotkeys.runWithout(async () => 'typed')).toBe('typed');
    await expect.poll(() => statuses).toEqual([[], refusal]);
    listen();
    await expect.poll(() => statuses).toEqual([[], refusal, refusal]);
  },
);

test.skipIf(skipReason)(
  `a press is not a repeat because the release before was not reported${skipReason === undefined ? '' : `: ${skipReason}`}`,
  async () => {
    const { bus, service } = await startService();
    await using hotkeys = await openKdeHotkeys(bus);
    const presses: boolean[] = [];
    await new Promise<void>((onStatus) =>
      hotkeys.listen([F9], {
        onPress: (_index, isRepeated) => void presses.push(isRepeated),
        onStatus: () => onStatus(),
      }),
    );
    const report = (event: string): void =>
      service.sendSignal('/component/pegboard_agent', 'org.kde.kglobalaccel.Component', event, 'ss', [
        'pegboard-agent',
        'hotkey-0',
      ]);
    report('globalShortcutPressed');
    report('globalShortcutPressed');
    await expect.poll(() => presses).toEqual([false, true]);
    await sleep(1100);
    report('globalShortcutPressed');
    report('globalShortcutRepeated');
    report('globalShortcutReleased');
    report('globalShortcutPressed');
    await expect.poll(() => presses).toEqual([false, true, false, true, false]);
  },
);
