import styles from './SegmentedControl.module.css';

interface SegmentedControlProps<Value extends string> {
  /** The accessible name of the whole. */
  readonly label: string;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    /** Shown, and cannot be picked: why. */
    readonly disabled?: string;
  }[];
  readonly value: Value;
  readonly disabled?: boolean;
  /** Always on one line and never narrower than its words. */
  readonly firm?: boolean;
  readonly onSelect: (value: Value) => void;
}

/** A choice of few: all of them stand side by side. */
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
