import styles from './SegmentedControl.module.css';

interface SegmentedControlProps<Value extends string> {
  /** Accessible name of the group. */
  readonly label: string;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    /** Why the option can't be selected; shown behind its label. */
    readonly disabledReason?: string;
  }[];
  readonly value: Value;
  readonly disabled?: boolean;
  /** Whether it stays on one line and never shrinks below its text. */
  readonly isSingleLine?: boolean;
  readonly onSelect: (value: Value) => void;
}

/** Selects one of a few options that are all visible. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { label, options, value, disabled, isSingleLine, onSelect } = props;
  return (
    <div className={styles['segments']} role="group" aria-label={label} data-firm={isSingleLine || undefined}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          value={option.value}
          aria-pressed={option.value === value}
          disabled={disabled === true || option.disabledReason !== undefined}
          onClick={() => option.value !== value && onSelect(option.value)}
        >
          {option.label}
          {option.disabledReason === undefined ? null : <small> {option.disabledReason}</small>}
        </button>
      ))}
    </div>
  );
}
