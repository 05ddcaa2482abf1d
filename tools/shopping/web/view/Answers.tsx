import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import { STATES, type Item } from '../../domain/list.ts';
import type { Acts } from './acts.ts';
import styles from './ItemRow.module.css';

const answers = [
  { state: STATES.tick, word: 'Tick', icon: IconCheck },
  { state: STATES.cross, word: 'Cross', icon: IconX },
  { state: STATES.question, word: 'Question', icon: IconQuestionMark },
] as const;

interface AnswersProps {
  readonly id: string;
  readonly item: Item;
  readonly acts: Acts;
}

/** A checkbox item: its three answers. */
export function Answers({ id, item, acts }: AnswersProps) {
  return (
    <>
      <span className={styles['name']} dir="auto">
        {item.name}
      </span>
      <span className={styles['answers']} role="group" aria-label={item.name}>
        {answers.map(({ state, word, icon: Icon }) => (
          <button
            key={state}
            type="button"
            aria-label={`${word} ${item.name}`}
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
