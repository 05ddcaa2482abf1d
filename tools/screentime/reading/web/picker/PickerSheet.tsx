import { IconDevices, IconApps, IconX } from '@tabler/icons-react';
import { useCommands } from '#platform/web/app/commands.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { ALL_DEVICES_ID } from '../useViewOptions.ts';
import type { Computers } from '../viewTypes.ts';
import type { PickerProps } from './applicationList.ts';
import { Picker } from './Picker.tsx';
import styles from './Picker.module.css';

export interface DeviceChoiceProps {
  readonly computers: Computers;
  /** The computers failed to load. */
  readonly hasFailed: boolean;
  readonly deviceid: string;
  readonly selectDevice: (id: string) => void;
  /** Whether time on several devices at the same time counts once. */
  readonly shouldMergeComputers: boolean;
  readonly toggleMergeComputers: () => void;
}

const LOAD_ERROR = 'error fetching computers';

/** Selects a computer, and how the time of several is counted. */
export function DeviceChoice(props: DeviceChoiceProps) {
  const { computers, hasFailed, deviceid, selectDevice, shouldMergeComputers, toggleMergeComputers } = props;
  const computerOptions = Object.entries(computers).map(([value, label]) => ({ value, label }));
  const options = hasFailed
    ? [{ value: LOAD_ERROR, label: LOAD_ERROR, disabledReason: 'Reload to try again' }]
    : [{ value: ALL_DEVICES_ID, label: 'All devices', icon: IconDevices }, ...computerOptions];
  return (
    <div className={styles['device']} data-device>
      <Dropdown
        label="Device"
        hideLabel
        options={options}
        value={hasFailed ? LOAD_ERROR : deviceid}
        onSelect={selectDevice}
      />
      {deviceid === ALL_DEVICES_ID && computerOptions.length > 1 ? (
        <span title="Time when several devices were in use counts only once">
          <Switch label="Count overlaps once" isOn={shouldMergeComputers} onChange={toggleMergeComputers} />
        </span>
      ) : null}
    </div>
  );
}

interface ChipRowProps {
  /** Selected applications, in the order of the timeline. */
  readonly names: readonly string[];
  readonly colours: ReadonlyMap<string, string>;
  readonly onPick: (name: string) => void;
  /** Opens the picker, unless it is visible at the side. */
  readonly openPicker: (() => void) | undefined;
}

/** The selected applications in one row. */
export function ChipRow({ names, colours, onPick, openPicker }: ChipRowProps) {
  return (
    <div className={styles['row']} role="group" aria-label="Selected apps">
      {openPicker ? (
        <button type="button" className={styles['open']} onClick={openPicker}>
          <IconApps size={18} stroke={1.75} />
          Apps <b className="num">{names.length}</b>
        </button>
      ) : null}
      {names.map((name) => (
        <span key={name} className={`${styles['chosen']} chip`} title={name}>
          <i className="dot" style={{ background: colours.get(name) }} />
          <span className="ellipsis" dir="auto">
            {name}
          </span>
          <button type="button" aria-label={`Hide ${name}`} title={`Hide ${name}`} onClick={() => onPick(name)}>
            <IconX size={15} stroke={1.75} />
          </button>
        </span>
      ))}
    </div>
  );
}

/** Position of the picker: at the side, as a band above the days, or in a sheet that opens. */
export type PickerContainer = 'aside' | 'band' | 'sheet';

const findElement = (selector: string): HTMLElement | null => document.querySelector(selector);
const clickDevice = (): void => findElement('[data-device] button')?.click();

/** Keys: D opens devices, A moves to applications, / moves to the search field. */
export function usePickerKeys(container: PickerContainer, openSheet: (hasSearchFocus: boolean) => void): void {
  // Only the picker at the side always shows its search field.
  const focusSearch = (): void => (container === 'aside' ? findElement('[data-find]')?.focus() : openSheet(true));
  const focusApps = (): void =>
    container === 'band' ? findElement('[data-band] [role=group] button')?.focus() : focusSearch();
  useCommands([
    {
      id: 'screentime.device',
      name: 'Choose device',
      keys: 'd',
      run: () => (container === 'sheet' ? openSheet(false) : clickDevice()),
    },
    { id: 'screentime.apps', name: 'Choose apps', keys: 'a', opensField: container !== 'band', run: focusApps },
    { id: 'screentime.find', name: 'Find an app', keys: '/', opensField: true, run: focusSearch },
  ]);
}

interface PickerSheetProps {
  /** Opened by the / key, so its search field gets the focus. */
  readonly hasSearchFocus: boolean;
  readonly onClose: () => void;
  readonly device: DeviceChoiceProps;
  readonly picker: PickerProps | undefined;
}

/** The picker as a sheet, for windows without space beside the days. Rendered while it is open. */
export function PickerSheet({ hasSearchFocus, onClose, device, picker }: PickerSheetProps) {
  return (
    <Dialog title="Apps" isOpen onClose={onClose} lockScroll={false}>
      <div className={styles['sheet']}>
        <DeviceChoice {...device} />
        {picker ? <Picker {...picker} hasFocus={hasSearchFocus} /> : null}
      </div>
    </Dialog>
  );
}
