import styles from './StatusPage.module.css';

/** Hour marks are thinned by the width of the window: every sixth, fourth or second one stays. */
const STEPS = [6, 4, 2];

const marks = Array.from({ length: 25 }, (_, hour) => ({
  hour,
  text: String(hour).padStart(2, '0'),
  steps: STEPS.filter((step) => hour % step === 0).join(' '),
}));

/** The hours above the bars; it stays in sight. */
export function Axis() {
  return (
    <div className={styles['axis']} aria-hidden="true">
      <div className={`${styles['hours']} num`}>
        {marks.map(({ hour, text, steps }) => (
          <span key={hour} data-steps={steps} style={{ left: `${(hour / 24) * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}
