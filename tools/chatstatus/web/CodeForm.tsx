import { Button, TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { Switch } from '#platform/web/ui/Switch.tsx';
import type { View } from '../domain/status.ts';
import styles from './StatusPage.module.css';

/** As the call takes it. */
const LONGEST = 100;

interface CodeFormProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly typed: string;
  readonly setTyped: (typed: string) => void;
  readonly submit: () => void;
  readonly isAsking: boolean;
  readonly view: View;
  readonly cycle: () => void;
  readonly keeps: boolean;
  readonly setKeeps: (keeps: boolean) => void;
}

/** The code and what is looked at. */
export function CodeForm(props: CodeFormProps) {
  const { field, typed, setTyped, submit, isAsking, view, cycle, keeps, setKeeps } = props;
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextInput
        ref={field}
        className={styles['code'] ?? ''}
        aria-label="Code"
        placeholder="Code"
        maxLength={LONGEST}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        enterKeyHint="go"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" className={styles['submit'] ?? ''} loading={isAsking}>
        Submit
      </Button>
      <Button
        className={styles['cycle'] ?? ''}
        leftSection={<IconRefresh size={16} stroke={1.75} />}
        onClick={cycle}
        title="Show both, pc or mobile"
      >
        Show {view}
      </Button>
      <span className={styles['keep']} title="In this browser: this page then opens with the days">
        <Switch label="Keep the code" isOn={keeps} onSwitch={setKeeps} />
      </span>
    </form>
  );
}
