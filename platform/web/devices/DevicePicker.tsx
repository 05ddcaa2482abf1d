import { Dropdown } from '../ui/Dropdown.tsx';
import type { Computer } from './computers.ts';
import { stateDot } from './stateDot.ts';

interface DevicePickerProps {
  readonly computers: readonly Computer[];
  readonly chosen: Computer | undefined;
  readonly choose: (id: string) => void;
  readonly hideLabel?: boolean;
}

/** 'Connected device': a Disconnected one cannot be selected (specification 1, section 4). */
export function DevicePicker({ computers, chosen, choose, hideLabel = false }: DevicePickerProps) {
  return (
    <Dropdown
      label="Connected device"
      placeholder={computers.length === 0 ? 'No device' : 'Choose a device'}
      hideLabel={hideLabel}
      value={chosen?.id}
      onPick={choose}
      options={computers.map(({ id, name, state }) => ({
        value: id,
        label: name,
        note: state,
        dot: stateDot(state),
        ...(state === 'Disconnected' ? { disabled: 'not connected' } : {}),
      }))}
    />
  );
}
