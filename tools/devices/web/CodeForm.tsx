import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { pairdevice } from '../contract.ts';
import styles from './pairing.module.css';

export type PairedComputer = AnswerOf<typeof pairdevice>;

interface CodeFormProps {
  readonly onPaired: (computer: PairedComputer) => void;
  /** Shown below the field while there is no error. */
  readonly hint: string;
  readonly beside?: boolean;
  readonly onCodeChange?: ((code: string) => void) | undefined;
}

/** The form for the code that the computer shows. */
export function CodeForm({ onPaired, hint, beside = false, onCodeChange }: CodeFormProps) {
  const id = useId();
  const [code, setCode] = useState('');
  const pair = useMutation({
    mutationFn: async () => {
      if (code.trim() === '') throw new Refusal('device.pairing_code_empty', 'Enter the code that the computer shows');
      return call(pairdevice, { code: code.trim() });
    },
    onSuccess: (computer) => {
      setCode('');
      onPaired(computer);
    },
  });
  return (
    <form
      className={styles['form']}
      data-beside={beside || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (!pair.isPending) pair.mutate();
      }}
    >
      <input
        className={styles['code']}
        aria-label="Code"
        aria-describedby={id}
        aria-invalid={pair.isError}
        placeholder="········"
        value={code}
        maxLength={16}
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        onChange={(event) => {
          const typed = event.currentTarget.value.toUpperCase();
          setCode(typed);
          onCodeChange?.(typed);
          pair.reset();
        }}
      />
      <Button type="submit" variant="primary" loading={pair.isPending} className={styles['pair'] ?? ''}>
        Pair
      </Button>
      <p
        id={id}
        className={styles['hint']}
        role={pair.isError ? 'alert' : 'status'}
        data-bad={pair.isError || undefined}
      >
        {pair.isError ? <IconAlertTriangle size={15} stroke={1.75} /> : null}
        {pair.error?.message ?? hint}
      </p>
    </form>
  );
}
