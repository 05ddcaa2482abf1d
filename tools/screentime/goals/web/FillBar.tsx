import styles from './FillBar.module.css';

interface FillBarProps {
  /** Name of the amount. */
  readonly label: string;
  /** Share from 0 to 1, and above if exceeded. */
  readonly share: number;
  readonly isLimit: boolean;
  /** CSS colour of an unreached goal or an exceeded limit. */
  readonly failed: string;
}

function getColour({ share, isLimit, failed }: FillBarProps): string {
  if (isLimit) return share > 1 ? failed : 'var(--accent)';
  return share >= 1 ? 'var(--green)' : failed;
}

/** Progress of a goal as a bar with a percentage. Percentages are rounded down. */
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
        <i style={{ width: `${filled}%`, background: getColour(props) }} />
      </div>
      <b>{percent}%</b>
    </div>
  );
}
