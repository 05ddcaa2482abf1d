import { useCommands } from '#platform/web/commands.ts';

/** Where the picker stands: at the side, as a band over the days, or in a sheet that has to be opened. */
export type PickerPlace = 'aside' | 'band' | 'sheet';

const clickDevice = (): void => document.querySelector<HTMLElement>('[data-device] button')?.click();
const focusOn = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.focus();
const first: Readonly<Record<PickerPlace, () => void>> = {
  aside: focusOn('[data-find]'),
  band: focusOn('[data-band] [role=group] button'),
  sheet: focusOn('[data-find]'),
};

/** D opens the devices, A goes to the applications. */
export const usePickerKeys = (place: PickerPlace, openSheet: (then: () => void) => void): void => {
  const go = (then: () => void): void => (place === 'sheet' ? openSheet(then) : then());
  useCommands([
    { id: 'screentime.device', name: 'Choose the device', keys: 'd', run: () => go(clickDevice) },
    {
      id: 'screentime.apps',
      name: 'Choose apps',
      keys: 'a',
      opensField: place !== 'band',
      run: () => go(first[place]),
    },
  ]);
};
