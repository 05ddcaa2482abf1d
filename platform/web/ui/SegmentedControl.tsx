import styles from './SegmentedControl.module.css';

interface SegmentedControlProps<Value extends string> {
  /** Accessible name of the group. */
  readonly label: string;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    /** Why the option can't be selected; it is still shown. */
    readonly disabled?: string;
  }[];
  readonly value: Value;
  readonly disabled?: boolean;
  /** Stays on one line and never shrinks below its text. */
  readonly firm?: boolean;
  readonly onSelect: (value: Value) => void;
}

/** Selects one of a few options that are all visible. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { label, options, value, disabled, firm, onSelect } = props;
  return (
    <div className={styles['segments']} role="group" aria-label={label} data-firm={firm || undefined}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          value={option.value}
          aria-pressed={option.value === value}
          disabled={disabled === true || option.disabled !== undefined}
          onClick={() => option.value !== value && onSelect(option.value)}
        >
          {option.label}
          {option.disabled === undefined ? null : <small> {option.disabled}</small>}
        </button>
      ))}
    </div>
  );
}
