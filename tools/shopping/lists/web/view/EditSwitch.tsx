import styles from './EditSwitch.module.css';

interface EditSwitchProps {
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
}

/** Between shopping and writing the list. */
export function EditSwitch({ isOn, onSwitch }: EditSwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      className={styles['switch']}
      onClick={() => onSwitch(!isOn)}
    >
      <i />
      Edit mode
    </button>
  );
}
