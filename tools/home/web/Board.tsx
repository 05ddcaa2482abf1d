import {
  IconAdjustmentsHorizontal,
  IconCalendar,
  IconChartBar,
  IconClock,
  IconKeyboard,
  IconMusic,
  IconShoppingCart,
} from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import styles from './Board.module.css';

/** Side of the drawn board; a hole every 40. */
const SIDE = 460;
const percent = (length: number): string => `${(length / SIDE) * 100}%`;

const pegs = [
  { name: 'Remote access', icon: IconKeyboard, at: [30, 30, 160, 110] },
  { name: 'Timer', icon: IconClock, at: [250, 30, 120, 70], flat: true },
  { name: 'Sound mixer', icon: IconAdjustmentsHorizontal, at: [250, 150, 180, 70], flat: true },
  { name: 'Planner', icon: IconShoppingCart, at: [30, 190, 120, 110] },
  { name: 'Calendar', icon: IconCalendar, at: [190, 270, 120, 110] },
  { name: 'Music', icon: IconMusic, at: [350, 270, 80, 150] },
  { name: 'Screen time', icon: IconChartBar, at: [30, 350, 120, 70], flat: true },
] as const;

const place = ([left, top, width, height]: readonly [number, number, number, number]): CSSProperties => ({
  left: percent(left),
  top: percent(top),
  width: percent(width),
  height: percent(height),
});

/** A picture of the board with some tools on their pegs. */
export function Board() {
  return (
    <div className={styles['board']} aria-hidden="true">
      {pegs.map(({ name, icon: Icon, at, ...shape }) => (
        <span key={name} className={styles['tool']} data-flat={'flat' in shape || undefined} style={place(at)}>
          <Icon size={22} stroke={1.75} />
          <b>{name}</b>
        </span>
      ))}
    </div>
  );
}
