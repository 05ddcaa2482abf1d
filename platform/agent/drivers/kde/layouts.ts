import type { SessionBus } from '@homebridge/dbus-native';
import { callBus } from '../sessionBus.ts';

const SERVICE = { destination: 'org.kde.keyboard', path: '/Layouts', interface: 'org.kde.KeyboardLayouts' } as const;

/** The user's keyboard layouts. KWin offers them on the bus if there are several. */
export interface LayoutSwitch {
  /** Returns the index of the layout in use; undefined if there is only one. */
  readonly getCurrent: () => Promise<number | undefined>;
  /** @throws if KWin refuses. */
  readonly select: (index: number) => Promise<void>;
}

export function createLayoutSwitch(bus: SessionBus): LayoutSwitch {
  return {
    getCurrent: async () => {
      const index = await callBus(bus, { ...SERVICE, member: 'getLayout' }).catch(() => undefined);
      return typeof index === 'number' ? index : undefined;
    },
    select: async (index) => {
      const isSelected = await callBus(bus, { ...SERVICE, member: 'setLayout', signature: 'u', body: [index] });
      if (isSelected === false) throw new Error(`KWin did not select layout ${index}`);
    },
  };
}
