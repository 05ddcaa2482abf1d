import {
  IconBell,
  IconChartBar,
  IconCheck,
  IconClipboardText,
  IconFileCode,
  IconKeyboard,
  IconMessage2,
  IconMouse,
  IconScreenshot,
  IconVolume,
} from '@tabler/icons-react';
import { ABILITY_NAMES, type Abilities as DeviceAbilities, type AbilityName } from '#platform/contract/device.ts';
import { groupBy } from '#platform/contract/groupBy.ts';
import styles from './DevicesPanel.module.css';

const labelByAbility = {
  keyboard: { label: 'Typing', Icon: IconKeyboard },
  mouse: { label: 'Mouse', Icon: IconMouse },
  sound: { label: 'Sound', Icon: IconVolume },
  usage: { label: 'Screen time', Icon: IconChartBar },
  messages: { label: 'Messages', Icon: IconMessage2 },
  notifications: { label: 'Notifications', Icon: IconBell },
  clipboard: { label: 'Clipboard', Icon: IconClipboardText },
  scripts: { label: 'Scripts', Icon: IconFileCode },
  capture: { label: 'Recording', Icon: IconScreenshot },
} as const satisfies Record<AbilityName, unknown>;

/** Prevents line breaks inside flags that a reason names. */
function Reason({ text }: { readonly text: string }) {
  return text.split(/(--[a-z-]+)/).map((part, index) =>
    part.startsWith('--') ? (
      // oxlint-disable-next-line react/no-array-index-key -- parts of one text, which never move
      <span key={index} className={styles['flag']}>
        {part}
      </span>
    ) : (
      part
    ),
  );
}

/** Lists what a computer can and may do, with reasons for the rest. */
export function Abilities({ abilities }: { readonly abilities: DeviceAbilities }) {
  const labelledAbilities = ABILITY_NAMES.flatMap((name) => {
    const ability = abilities[name];
    return ability === undefined ? [] : [{ ...labelByAbility[name], ...ability }];
  });
  const missingByReason = groupBy(
    labelledAbilities.filter(({ able, reason }) => !able && reason !== undefined),
    ({ reason }) => reason ?? '',
  );
  if (labelledAbilities.length === 0) return null;
  return (
    <>
      <ul className={styles['chips']} aria-label="Permissions">
        {labelledAbilities.map(({ label, Icon, able }) => (
          <li key={label} className={`${styles['chip']} chip`} data-off={!able || undefined}>
            <Icon size={14} stroke={1.75} />
            {label}
            {able ? (
              <>
                <IconCheck size={14} stroke={2} />
                <span className="unseen">on</span>
              </>
            ) : (
              <em>off</em>
            )}
          </li>
        ))}
      </ul>
      {missingByReason.size === 0 ? null : (
        <ul className={styles['reasons']} aria-label="What it can't do">
          {[...missingByReason].map(([reason, missing]) => (
            <li key={reason}>
              <b>{missing.map(({ label }) => label).join(', ')}:</b> <Reason text={reason} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
