import styles from './FillBar.module.css';

interface FillBarProps {
  /** What it is the share of. */
  readonly label: string;
  /** 0 to 1, and beyond. */
  readonly share: number;
  readonly isLimit: boolean;
  /** CSS: of a goal that is not reached, of a limit that is passed. */
  readonly failed: string;
}

const colourOf = ({ share, isLimit, failed }: FillBarProps): string => {
  if (isLimit) return share > 1 ? failed : 'var(--accent)';
  return share >= 1 ? 'var(--green)' : failed;
};

/** How much of a goal is done: a bar, and percent beside it. A whole percent is said once it is whole. */
export function FillBar(props: FillBarProps) {
  const { label, share } = props;
  const percent = Math.floor(share * 100 + 1e-9);
  const filled = Math.min(100, percent);
  return (
    <div className={styles['row']}>
      <div
        className={styles['bar']}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={filled}
        aria-valuetext={`${percent} percent`}
      >
        <i style={{ width: `${filled}%`, background: colourOf(props) }} />
      </div>
      <b>{percent}%</b>
    </div>
  );
}
