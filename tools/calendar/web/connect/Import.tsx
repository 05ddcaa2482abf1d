import { Button } from '@mantine/core';
import { IconCalendarDown } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { ICS_LIMIT_BYTES } from '../../contract/events.ts';
import { importevents, previewimport } from '../../contract/exchange.ts';
import { textOf } from '../../exchange/domain/icsFile.ts';
import { keys } from '../selection.ts';
import { ImportPreview } from './ImportPreview.tsx';
import { ImportResult } from './ImportResult.tsx';
import styles from './Import.module.css';

export type Preview = AnswerOf<typeof previewimport>;
export type ImportAnswer = AnswerOf<typeof importevents>;

/** A file that was read, and what came of it. */
interface ChosenFile {
  readonly name: string;
  readonly text: string;
  readonly preview: Preview;
}

const readFile = async (file: File): Promise<ChosenFile> => {
  if (file.size > ICS_LIMIT_BYTES)
    throw new Refusal(
      `${file.name} is larger than ${ICS_LIMIT_BYTES / 1024 / 1024} MB; export a part of that calendar`,
    );
  const text = textOf(new Uint8Array(await file.arrayBuffer()));
  return { name: file.name, text, preview: await call(previewimport, { text }) };
};

interface DropProps {
  readonly isBusy: boolean;
  readonly onFile: (file: File) => void;
}

function Drop({ isBusy, onFile }: DropProps) {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null): void => {
    const file = files?.[0];
    if (file && !isBusy) onFile(file);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dropping is a second way to what the file field within does
    <label
      className={styles['drop']}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
    >
      <IconCalendarDown size={24} stroke={1.6} aria-hidden />
      <span>{isBusy ? 'Reading the file…' : 'Choose an .ics file or drop it here'}</span>
      <small>You see what is in it before anything is kept</small>
      <input
        className="unseen"
        type="file"
        accept=".ics,.ical,.ifb,text/calendar"
        aria-label="Calendar file"
        disabled={isBusy}
        onChange={(event) => {
          take(event.currentTarget.files);
          // The same file can be chosen again, changed meanwhile.
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

const useImport = () => {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ChosenFile>();
  const read = useMutation({ mutationFn: readFile, onSuccess: setChosen });
  const take = useMutation({
    mutationFn: ({ text }: ChosenFile) => call(importevents, { text }),
    onError: showError,
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.all }),
  });
  return {
    chosen,
    read,
    take,
    choose: (file: File): void => {
      setChosen(undefined);
      take.reset();
      read.mutate(file);
    },
    leave: (): void => {
      setChosen(undefined);
      take.reset();
      read.reset();
    },
  };
};

interface ImportProps {
  /** The dialog shows this part first. */
  readonly isFirst: boolean;
  readonly onClose: () => void;
}

/** Events of an .ics file: chosen, shown, and then taken over. */
export function Import({ isFirst, onClose }: ImportProps) {
  const { chosen, read, take, choose, leave } = useImport();
  const title = useRef<HTMLHeadingElement>(null);
  // The dialog gives it the focus, and leaves the view where it is.
  useEffect(() => {
    if (isFirst) title.current?.scrollIntoView();
  }, [isFirst]);
  return (
    <section aria-labelledby="import-title">
      <h3 ref={title} id="import-title" tabIndex={-1} {...(isFirst ? { 'data-autofocus': true } : {})}>
        Import a file
      </h3>
      <p className={styles['text']}>Events that are already in your calendar are updated, not duplicated</p>
      {!chosen && <Drop isBusy={read.isPending} onFile={choose} />}
      {read.error && (
        <p className={styles['error']} role="alert">
          {read.error.message}
        </p>
      )}
      {chosen && !take.data && (
        <ImportPreview
          file={chosen.name}
          preview={chosen.preview}
          isBusy={take.isPending}
          onImport={() => take.mutate(chosen)}
          onLeave={leave}
        />
      )}
      {chosen && take.data && (
        <ImportResult preview={chosen.preview} result={take.data} onClose={onClose}>
          <Button onClick={leave}>Import another file</Button>
        </ImportResult>
      )}
    </section>
  );
}
