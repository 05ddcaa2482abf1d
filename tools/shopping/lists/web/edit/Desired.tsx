import { useId, useRef } from 'react';
import { LIMITS } from '../../domain/list.ts';
import { useEdit } from './editContext.ts';
import { useTyped } from './useFieldDraft.ts';
import styles from './Fields.module.css';

const WHY = `A whole number from 0 to ${LIMITS.quantity.toLocaleString('en')}`;
const whyNot = (text: string): string | undefined => {
  if (text.trim() === '') return '';
  return /^\d{1,7}$/.test(text.trim()) && Number(text) <= LIMITS.quantity ? undefined : WHY;
};

/** How many of an item are wanted. */
export function Desired({ id, desired }: { readonly id: string; readonly desired: number }) {
  const edit = useEdit();
  const why = useId();
  const field = useRef<HTMLInputElement>(null);
  const typed = useTyped({
    value: String(desired),
    // What is no number at all stands in the field, and is not told as a text.
    problem: (text) => (field.current?.validity.badInput ? WHY : whyNot(text)),
    tell: (text) => edit.change([{ kind: 'item', id, field: 'desired', value: Number(text) }]),
  });
  return (
    <div className={styles['desired']}>
      <input
        ref={field}
        className={styles['number']}
        type="number"
        inputMode="numeric"
        min={0}
        max={LIMITS.quantity}
        step={1}
        aria-label={`Desired: ${desired} items`}
        placeholder={`Desired: ${desired} items`}
        title="How many are wanted"
        aria-invalid={typed.problem !== undefined}
        {...(typed.problem === undefined ? {} : { 'aria-describedby': why })}
        value={typed.text}
        onFocus={(event) => {
          typed.hold();
          event.currentTarget.select();
        }}
        onBlur={typed.leave}
        onChange={(event) => typed.type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') typed.flush();
        }}
      />
      {typed.problem !== undefined && (
        <p id={why} className={styles['why']} role="alert">
          {typed.problem}
        </p>
      )}
    </div>
  );
}
