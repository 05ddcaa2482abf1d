import { IconArrowsVertical, IconClick, IconHandStop, IconMouse } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { vibrate, createHoldHandlers } from './pressAndHold.ts';
import type { Motion } from './useMotion.ts';
import styles from './MouseKeys.module.css';

interface HeldKeyProps {
  readonly label: string;
  /** Accessible name, if the label does not suffice. */
  readonly name?: string;
  readonly icon: ComponentType<{ size: number; stroke: number }>;
  readonly isHeld: boolean;
  readonly onPress: () => void;
  readonly onRelease: () => void;
}

/** A mouse button that is held while it is touched. */
function HeldKey({ label, name, icon: Icon, isHeld, onPress, onRelease }: HeldKeyProps) {
  function handleTouch(): void {
    vibrate();
    onPress();
  }
  return (
    <button
      type="button"
      className={styles['key']}
      aria-label={name}
      data-on={isHeld || undefined}
      {...createHoldHandlers(handleTouch, onRelease)}
    >
      <Icon size={22} stroke={1.75} />
      {label}
    </button>
  );
}

interface LiftKeyProps {
  readonly isLifted: boolean;
  readonly onToggle: () => void;
}

/** Lift: the phone or the finger moves without moving the pointer. */
function LiftKey({ isLifted, onToggle }: LiftKeyProps) {
  function handleTouch(): void {
    vibrate();
    onToggle();
  }
  return (
    <button
      type="button"
      className={styles['key']}
      data-lift={isLifted || undefined}
      aria-pressed={isLifted}
      onClick={handleTouch}
    >
      <IconHandStop size={22} stroke={1.75} />
      Lift
    </button>
  );
}

interface TiltKeysProps {
  readonly motion: Motion;
  /** The right mouse button, if it is shown. */
  readonly rightButton?: { readonly isHeld: boolean; readonly onChange: (isPressed: boolean) => void };
}

/**
 * Scroll, LMB and Lift of the tilted phone (docs/specification/remote.md sections 1.4 and 4.1). The first touch starts
 * tilting.
 */
export function TiltKeys({ motion, rightButton }: TiltKeysProps) {
  const { buttons, tilt, perform, start } = motion;
  const handleTouch = (action: () => void) => (): void => {
    if (tilt === 'off') start();
    action();
  };
  return (
    <div className={styles['keys']} data-count={rightButton ? 4 : 3}>
      <HeldKey
        label="Scroll"
        icon={IconArrowsVertical}
        isHeld={buttons.scroll}
        onPress={handleTouch(() => perform('scroll pressed'))}
        onRelease={() => perform('scroll released')}
      />
      <HeldKey
        label="LMB"
        icon={IconMouse}
        isHeld={buttons.lmb}
        onPress={handleTouch(() => perform('lmb pressed'))}
        onRelease={() => perform('lmb released')}
      />
      <LiftKey isLifted={buttons.lift} onToggle={handleTouch(() => perform('lift toggled'))} />
      {rightButton ? (
        <HeldKey
          label="Right"
          name="Right button"
          icon={IconClick}
          isHeld={rightButton.isHeld}
          onPress={() => rightButton.onChange(true)}
          onRelease={() => rightButton.onChange(false)}
        />
      ) : null}
    </div>
  );
}

interface PadKeysProps extends LiftKeyProps {
  readonly heldButtons: { readonly left: boolean; readonly right: boolean };
  readonly onButtonChange: (button: 'left' | 'right', isPressed: boolean) => void;
}

/** LMB, Lift and the right button of the touchpad. */
export function PadKeys({ heldButtons, onButtonChange, isLifted, onToggle }: PadKeysProps) {
  return (
    <div className={styles['keys']} data-row>
      <HeldKey
        label="LMB"
        icon={IconMouse}
        isHeld={heldButtons.left}
        onPress={() => onButtonChange('left', true)}
        onRelease={() => onButtonChange('left', false)}
      />
      <LiftKey isLifted={isLifted} onToggle={onToggle} />
      <HeldKey
        label="Right"
        name="Right button"
        icon={IconClick}
        isHeld={heldButtons.right}
        onPress={() => onButtonChange('right', true)}
        onRelease={() => onButtonChange('right', false)}
      />
    </div>
  );
}
