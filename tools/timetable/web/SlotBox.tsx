import { memo } from 'react';
import { titleOf } from '../domain/slot.ts';
import { timesOf, toHex, type PlannedSlot } from './planned.ts';
import styles from './SlotBox.module.css';

/** How much of a slot can be read at its height. */
export type Room = 'line' | 'two' | 'full';

/** A long description is seen in the editor. */
const MAX_SHOWN_CHARACTERS = 400;

/** A share of the day's width under which a line has no room for icon and name. */
const THIN = 60;

interface SlotBoxProps {
  readonly slot: PlannedSlot;
  /** Shares of the day and of its width, 0 to 100. */
  readonly top: number;
  readonly height: number;
  readonly left: number;
  readonly width: number;
  readonly room: Room;
  readonly isOpen: boolean;
}

/**
 * A slot on its day, and there may be hundreds: an icon of its own, or more than one box that cuts its text off, would cost the compositor more
 * than all else while one of them is dragged. What is done with it is listened for by the week.
 */
export const SlotBox = memo(function SlotBox({ slot, top, height, left, width, room, isOpen }: SlotBoxProps) {
  const { id, status, colour, description } = slot;
  const name = `${titleOf(slot)}, ${timesOf(slot)}, ${status}`;
  return (
    <button
      type="button"
      className={styles['slot']}
      data-slot={id}
      data-status={status}
      data-room={room}
      data-thin={width < THIN || undefined}
      aria-current={isOpen || undefined}
      aria-label={name}
      // Its description too, for readers and for whoever rests on it.
      title={description === '' ? name : `${name}\n${description}`}
      style={{
        top: `${top}%`,
        height: `${height}%`,
        left: `${left}%`,
        width: `${width}%`,
        borderColor: toHex(colour),
      }}
    >
      <span className={styles['edge']} data-edge="start" />
      <span className={styles['text']} dir="auto">
        <i className={styles['icon']} />
        <b>{titleOf(slot)}</b>
        {room === 'line' ? ' ' : <br />}
        <small data-times dir="ltr">
          {timesOf(slot)}
        </small>
        {room === 'full' && description !== '' ? (
          <>
            <br />
            <small
              className={styles['description']}
              dir="auto"
              data-text={description.slice(0, MAX_SHOWN_CHARACTERS)}
            />
          </>
        ) : null}
      </span>
      <span className={styles['edge']} data-edge="end" />
    </button>
  );
});
