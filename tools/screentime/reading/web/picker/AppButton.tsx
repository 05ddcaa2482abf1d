import { IconCheck } from '@tabler/icons-react';
import { memo, startTransition, useOptimistic } from 'react';
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

/** Switches an application on and off. It is what was pressed at once, while what hangs on that is still being drawn. */
export const AppButton = memo(function AppButton({ name, colour, hours, isOn, asChip, onPick }: AppButtonProps) {
  const [isPressed, setPressed] = useOptimistic(isOn);
  const press = (): void =>
    startTransition(() => {
      setPressed(!isPressed);
      onPick(name);
    });
  return (
    <button
      type="button"
      className={asChip ? styles['chip'] : styles['app']}
      aria-pressed={isPressed}
      title={name}
      onClick={press}
    >
      <i style={{ background: colour }} />
      <span dir="auto">{name}</span>
      {hours === '' ? null : <small>{hours}</small>}
      {isPressed ? <IconCheck size={15} stroke={2} aria-hidden /> : null}
    </button>
  );
});
