import { useSession } from '#platform/web/app/session.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { offsetHours, offsetText } from '../../web/usageClock.ts';
import type { OptionName, Options } from './useViewOptions.ts';
import styles from './ScreenTimePage.module.css';

/** In the order of the keys 1 to 5 (specification 2, section 2.2). */
export const toggles: readonly { readonly option: OptionName; readonly label: string }[] = [
  { option: 'hideUnused', label: 'Hide Apps not used' },
  { option: 'compact', label: 'Compact View' },
  { option: 'goals', label: 'Show goals' },
  { option: 'breakdown', label: 'Show Breakdown' },
  { option: 'newPicker', label: 'Use new picker' },
];

export function Links() {
  return (
    <>
      <PageLink to="/graphy" title="The old graphs: hours of every day of all years">
        Version one
      </PageLink>
      <PageLink to="/catsmmod" title="Sort applications into categories, set hotkeys, name devices">
        Modify categories
      </PageLink>
    </>
  );
}

interface SubBarProps {
  readonly device: string;
  readonly narrow: boolean;
  /** Undefined where nobody is logged in: there is nothing to be toggled. */
  readonly options: Options | undefined;
  readonly toggle: (name: OptionName) => void;
}

/** Who looks at what, from where, and the toggles. */
export function SubBar({ device, narrow, options, toggle }: SubBarProps) {
  const session = useSession();
  return (
    <div className={styles['sub']}>
      <span>
        User: <b dir="auto">{session ? session.username : 'Not logged in'}</b>
      </span>
      <span>
        Timezone: <b className="num">{offsetText(offsetHours())}</b>
      </span>
      <span>
        Device: <b dir="auto">{device}</b>
      </span>
      {narrow ? <Links /> : null}
      {options ? (
        <div className={styles['toggles']} role="group" aria-label="View">
          {toggles.map(({ option, label }) => (
            <Switch key={option} label={label} isOn={options[option]} onChange={() => toggle(option)} />
          ))}
        </div>
      ) : null}
    </div>
  );
}
