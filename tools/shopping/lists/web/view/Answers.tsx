import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import { STATES, type Item } from '../../domain/list.ts';
import type { ItemActions } from './viewActions.ts';
import styles from './ItemRow.module.css';

const answers = [
  { state: STATES.tick, labelOf: (name: string) => `Tick ${name}`, icon: IconCheck },
  { state: STATES.cross, labelOf: (name: string) => `Cross ${name}`, icon: IconX },
  {
    state: STATES.question,
    labelOf: (name: string) => `Mark ${name} with a question mark`,
    icon: IconQuestionMark,
  },
] as const;

interface AnswersProps {
  readonly id: string;
  readonly item: Item;
  readonly acts: ItemActions;
}

/** A checkbox item: its three answers. */
export function Answers({ id, item, acts }: AnswersProps) {
  return (
    <>
      <span className={styles['name']} dir="auto">
        {item.name}
      </span>
      <span className={styles['answers']} role="group" aria-label={item.name}>
        {answers.map(({ state, labelOf, icon: Icon }) => (
          <button
            key={state}
            type="button"
            aria-label={labelOf(item.name)}
            aria-pressed={item.state === state}
            data-state={state}
            onClick={() => {
              if (item.state !== state) acts.answer(id, state);
            }}
          >
            <Icon size={20} stroke={1.75} />
          </button>
        ))}
      </span>
    </>
  );
}
