import { IconDevices } from '@tabler/icons-react';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { ALL } from '../useViewOptions.ts';
import type { Computers } from '../viewTypes.ts';
import styles from './Picker.module.css';

export interface DeviceChoiceProps {
  readonly computers: Computers;
  /** They could not be had. */
  readonly isLost: boolean;
  readonly deviceid: string;
  readonly choose: (id: string) => void;
  readonly isWall: boolean;
  readonly toggleWall: () => void;
}

const LOST = 'error fetching computers';

/** Which computer it is about, and how the time of several is counted. */
export function DeviceChoice({ computers, isLost, deviceid, choose, isWall, toggleWall }: DeviceChoiceProps) {
  const named = Object.entries(computers).map(([value, label]) => ({ value, label }));
  const options = isLost
    ? [{ value: LOST, label: LOST, disabled: 'reload to try again' }]
    : [{ value: ALL, label: 'All devices', icon: IconDevices }, ...named];
  return (
    <div className={styles['device']} data-device>
      <Dropdown label="Device" hideLabel options={options} value={isLost ? LOST : deviceid} onSelect={choose} />
      {deviceid === ALL && named.length > 1 ? (
        <span title="Time in which several devices were used at once counts once, instead of being added up">
          <Switch label="Count overlaps once" isOn={isWall} onChange={toggleWall} />
        </span>
      ) : null}
    </div>
  );
}
