import { IconArrowsVertical, IconClick, IconHandStop, IconMouse } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { buzz, createHoldHandlers } from './pressAndHold.ts';
import type { Motion } from './useMotion.ts';
import styles from './MouseKeys.module.css';

interface HeldKeyProps {
  readonly label: string;
  /** Accessible name, if the label does not suffice. */
  readonly name?: string;
  readonly icon: ComponentType<{ size: number; stroke: number }>;
  readonly held: boolean;
  readonly down: () => void;
  readonly up: () => void;
}

/** A mouse button that is held while it is touched. */
function HeldKey({ label, name, icon: Icon, held, down, up }: HeldKeyProps) {
  const handleTouch = (): void => {
    buzz();
    down();
  };
  return (
    <button
      type="button"
      className={styles['key']}
      aria-label={name}
      data-on={held || undefined}
      {...createHoldHandlers(handleTouch, up)}
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

/** Lift: the phone or the finger moves without moving the pointer. */
function LiftKey({ lifted, toggle }: LiftKeyProps) {
  const handleTouch = (): void => {
    buzz();
    toggle();
  };
  return (
    <button
      type="button"
      className={styles['key']}
      data-lift={lifted || undefined}
      aria-pressed={lifted}
      onClick={handleTouch}
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

/**
 * Scroll, LMB and Lift of the tilted phone (docs/specification/remote.md sections 1.4 and 4.1). The first touch starts
 * tilting.
 */
export function TiltKeys({ motion, right }: TiltKeysProps) {
  const { held, tilt, act, start } = motion;
  const handleTouch = (action: () => void) => (): void => {
    if (tilt === 'off') start();
    action();
  };
  return (
    <div className={styles['keys']} data-count={right ? 4 : 3}>
      <HeldKey
        label="Scroll"
        icon={IconArrowsVertical}
        held={held.scroll}
        down={handleTouch(() => act('scroll down'))}
        up={() => act('scroll up')}
      />
      <HeldKey
        label="LMB"
        icon={IconMouse}
        held={held.lmb}
        down={handleTouch(() => act('lmb down'))}
        up={() => act('lmb up')}
      />
      <LiftKey lifted={held.lift} toggle={handleTouch(() => act('lift toggled'))} />
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
