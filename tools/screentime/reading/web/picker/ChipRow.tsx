import { IconApps, IconX } from '@tabler/icons-react';
import styles from './Picker.module.css';

interface ChipRowProps {
  /** Those that are on, as they stand on the days. */
  readonly names: readonly string[];
  readonly colours: ReadonlyMap<string, string>;
  readonly onPick: (name: string) => void;
  /** Opens the picker, where it is not beside. */
  readonly openPicker: (() => void) | undefined;
}

/** The chosen applications in one row. */
export function ChipRow({ names, colours, onPick, openPicker }: ChipRowProps) {
  return (
    <div className={styles['row']} role="group" aria-label="Chosen apps">
      {openPicker ? (
        <button type="button" className={styles['open']} onClick={openPicker}>
          <IconApps size={18} stroke={1.75} />
          Apps <b className="num">{names.length}</b>
        </button>
      ) : null}
      {names.map((name) => (
        <span key={name} className={styles['chosen']} title={name}>
          <i style={{ background: colours.get(name) }} />
          <span className="ellipsis" dir="auto">
            {name}
          </span>
          <button type="button" aria-label={`Hide ${name}`} title={`Hide ${name}`} onClick={() => onPick(name)}>
            <IconX size={15} stroke={1.75} />
          </button>
        </span>
      ))}
    </div>
  );
}
