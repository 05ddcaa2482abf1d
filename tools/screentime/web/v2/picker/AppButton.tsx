import { IconCheck } from '@tabler/icons-react';
import { memo } from 'react';
import styles from './Picker.module.css';

interface AppButtonProps {
  readonly name: string;
  readonly colour: string | undefined;
  readonly hours: string;
  readonly isOn: boolean;
  /** Round and as wide as its words. */
  readonly asChip?: boolean;
  readonly onPick: (name: string) => void;
}

/** Switches an application on and off. */
export const AppButton = memo(function AppButton({ name, colour, hours, isOn, asChip, onPick }: AppButtonProps) {
  return (
    <button
      type="button"
      className={asChip ? styles['chip'] : styles['app']}
      aria-pressed={isOn}
      title={name}
      onClick={() => onPick(name)}
    >
      <i style={{ background: colour }} />
      <span dir="auto">{name}</span>
      {hours === '' ? null : <small>{hours}</small>}
      {isOn ? <IconCheck size={15} stroke={2} aria-hidden /> : null}
    </button>
  );
});
