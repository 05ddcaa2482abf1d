import { expect, test } from 'vitest';
import { createFakeBus } from '#testing/kits/desktop/fakeBus.ts';
import { openExtensionClient } from './extensionClient.ts';
import { EXTENSION_SERVICE } from './shellExtension.ts';

const formatState = (layoutGroup: number): string => JSON.stringify({ windows: [], layoutGroup });

test('a state that is reported right after the first answer is not replaced by it', async () => {
  const bus = createFakeBus(({ member }, answer) => {
    answer(null, member === 'GetState' ? formatState(0) : true);
    if (member === 'GetState')
      bus.connection.emit('message', { ...EXTENSION_SERVICE, member: 'StateChanged', body: [formatState(1)] });
  });
  using extension = await openExtensionClient(bus);
  expect(extension.getState()?.layoutGroup).toBe(1);
});
