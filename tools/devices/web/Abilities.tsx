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
import { ABILITY_NAMES, type Abilities as AbilitiesOf, type AbilityName } from '#platform/contract/device.ts';
import styles from './DevicesPanel.module.css';

const abilityLabels = {
  keyboard: { word: 'Typing', Icon: IconKeyboard },
  mouse: { word: 'Mouse', Icon: IconMouse },
  sound: { word: 'Sound', Icon: IconVolume },
  usage: { word: 'Screen time', Icon: IconChartBar },
  messages: { word: 'Messages', Icon: IconMessage2 },
  notifications: { word: 'Notifications', Icon: IconBell },
  clipboard: { word: 'Clipboard', Icon: IconClipboardText },
  scripts: { word: 'Scripts', Icon: IconFileCode },
  capture: { word: 'Recording', Icon: IconScreenshot },
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
export function Abilities({ abilities }: { readonly abilities: AbilitiesOf }) {
  const labelled = ABILITY_NAMES.flatMap((name) => {
    const ability = abilities[name];
    return ability === undefined ? [] : [{ ...abilityLabels[name], ...ability }];
  });
  const reasons = labelled.filter(({ able, reason }) => !able && reason !== undefined);
  if (labelled.length === 0) return null;
  return (
    <>
      <ul className={styles['chips']} aria-label="Permissions">
        {labelled.map(({ word, Icon, able }) => (
          <li key={word} className={styles['chip']} data-off={!able || undefined}>
            <Icon size={14} stroke={1.75} />
            {word}
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
      {reasons.length === 0 ? null : (
        <ul className={styles['reasons']}>
          {reasons.map(({ word, reason }) => (
            <li key={word}>
              <b>{word}:</b> <Reason text={reason ?? ''} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
