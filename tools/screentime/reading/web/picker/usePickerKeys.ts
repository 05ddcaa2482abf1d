import { useCommands } from '#platform/web/app/commands.ts';

/** Where the picker stands: at the side, as a band over the days, or in a sheet that has to be opened. */
export type PickerPlace = 'aside' | 'band' | 'sheet';

const element = (selector: string): HTMLElement | null => document.querySelector(selector);
const clickDevice = (): void => element('[data-device] button')?.click();

/** D opens the devices, A goes to the applications, and / to the field that finds one. */
export const usePickerKeys = (place: PickerPlace, openSheet: (isTyped: boolean) => void): void => {
  // Only the picker at the side shows its field at once.
  const find = (): void => (place === 'aside' ? element('[data-find]')?.focus() : openSheet(true));
  const toApps = (): void => (place === 'band' ? element('[data-band] [role=group] button')?.focus() : find());
  useCommands([
    {
      id: 'screentime.device',
      name: 'Choose the device',
      keys: 'd',
      run: () => (place === 'sheet' ? openSheet(false) : clickDevice()),
    },
    { id: 'screentime.apps', name: 'Choose apps', keys: 'a', opensField: place !== 'band', run: toApps },
    { id: 'screentime.find', name: 'Find an app', keys: '/', opensField: true, run: find },
  ]);
};
