import styles from './Segments.module.css';

interface SegmentsProps<Value extends string> {
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
  readonly onPick: (value: Value) => void;
}

/** A choice of few: all of them stand side by side. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, options, value, disabled, firm, onPick } = props;
  return (
    <div className={styles['segments']} role="group" aria-label={label} data-firm={firm || undefined}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          value={option.value}
          aria-pressed={option.value === value}
          disabled={disabled === true || option.disabled !== undefined}
          onClick={() => option.value !== value && onPick(option.value)}
        >
          {option.label}
          {option.disabled === undefined ? null : <small> {option.disabled}</small>}
        </button>
      ))}
    </div>
  );
}
