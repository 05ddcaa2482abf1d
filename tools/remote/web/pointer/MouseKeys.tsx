import { IconArrowsVertical, IconClick, IconHandStop, IconMouse } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { buzz, holding } from './pressAndHold.ts';
import type { Motion } from './useMotion.ts';
import styles from './MouseKeys.module.css';

interface HeldKeyProps {
  readonly label: string;
  /** Its accessible name, where the label is not enough. */
  readonly name?: string;
  readonly icon: ComponentType<{ size: number; stroke: number }>;
  readonly held: boolean;
  readonly down: () => void;
  readonly up: () => void;
}

/** A button of the mouse: it is held while it is touched. */
function HeldKey({ label, name, icon: Icon, held, down, up }: HeldKeyProps) {
  const touched = (): void => {
    buzz();
    down();
  };
  return (
    <button
      type="button"
      className={styles['key']}
      aria-label={name}
      data-on={held || undefined}
      {...holding(touched, up)}
    >
      <Icon size={22} stroke={1.75} />
      {label}
    </button>
  );
}

interface LiftKeyProps {
  readonly lifted: boolean;
  readonly toggle: () => void;
}

/** Lift: the phone, or the finger, moves and the pointer does not. */
function LiftKey({ lifted, toggle }: LiftKeyProps) {
  const touched = (): void => {
    buzz();
    toggle();
  };
  return (
    <button
      type="button"
      className={styles['key']}
      data-lift={lifted || undefined}
      aria-pressed={lifted}
      onClick={touched}
    >
      <IconHandStop size={22} stroke={1.75} />
      Lift
    </button>
  );
}

interface TiltKeysProps {
  readonly motion: Motion;
  readonly right?: { readonly held: boolean; readonly set: (down: boolean) => void };
}

/** Scroll, LMB and Lift of the tilted phone (specification 1, sections 2 and 4); the first touch starts it. */
export function TiltKeys({ motion, right }: TiltKeysProps) {
  const { held, tilt, act, start } = motion;
  const touched = (then: () => void) => (): void => {
    if (tilt === 'off') start();
    then();
  };
  return (
    <div className={styles['keys']} data-count={right ? 4 : 3}>
      <HeldKey
        label="Scroll"
        icon={IconArrowsVertical}
        held={held.scroll}
        down={touched(() => act('scroll down'))}
        up={() => act('scroll up')}
      />
      <HeldKey
        label="LMB"
        icon={IconMouse}
        held={held.lmb}
        down={touched(() => act('lmb down'))}
        up={() => act('lmb up')}
      />
      <LiftKey lifted={held.lift} toggle={touched(() => act('lift toggled'))} />
      {right ? (
        <HeldKey
          label="Right"
          name="Right button"
          icon={IconClick}
          held={right.held}
          down={() => right.set(true)}
          up={() => right.set(false)}
        />
      ) : null}
    </div>
  );
}

interface PadKeysProps extends LiftKeyProps {
  readonly held: { readonly left: boolean; readonly right: boolean };
  readonly set: (button: 'left' | 'right', down: boolean) => void;
}

/** LMB, Lift and the right button of the touchpad. */
export function PadKeys({ held, set, lifted, toggle }: PadKeysProps) {
  return (
    <div className={styles['keys']} data-row>
      <HeldKey
        label="LMB"
        icon={IconMouse}
        held={held.left}
        down={() => set('left', true)}
        up={() => set('left', false)}
      />
      <LiftKey lifted={lifted} toggle={toggle} />
      <HeldKey
        label="Right"
        name="Right button"
        icon={IconClick}
        held={held.right}
        down={() => set('right', true)}
        up={() => set('right', false)}
      />
    </div>
  );
}
