import { type Computer, getStateDot } from '../app/computers.ts';
import { Dropdown } from './Dropdown.tsx';
import styles from './DevicePicker.module.css';

interface DevicePickerProps {
  readonly computers: readonly Computer[];
  readonly selected: Computer | undefined;
  readonly onSelect: (id: string) => void;
  readonly hideLabel?: boolean;
  /** Has no label, and shows 'Connected' only by the dot. For bars. */
  readonly brief?: boolean;
}

/** Selects the 'Connected device'. Disconnected ones can't be selected (docs/specification/devices.md section 3.1). */
export function DevicePicker({ computers, selected, onSelect, hideLabel = false, brief = false }: DevicePickerProps) {
  const hasConnected = computers.some(({ state }) => state !== 'Disconnected');
  const picker = (
    <Dropdown
      label="Connected device"
      placeholder={hasConnected ? 'Choose a device' : 'No device connected'}
      hideLabel={hideLabel || brief}
      value={selected?.id}
      onSelect={onSelect}
      options={computers.map(({ id, name, state }) => ({
        value: id,
        label: name,
        note: state,
        dot: getStateDot(state),
        ...(state === 'Disconnected' ? { disabledReason: 'not connected' } : {}),
      }))}
    />
  );
  if (!brief) return picker;
  return (
    <div className={styles['brief']} data-connected={selected?.state === 'Connected' || undefined}>
      {picker}
    </div>
  );
}
