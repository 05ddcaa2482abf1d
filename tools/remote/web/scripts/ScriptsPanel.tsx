import { Button } from '@mantine/core';
import { IconFileCode, IconPlus, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FILE_MARKER } from '#platform/contract/message.ts';
import { call } from '#platform/web/app/call.ts';
import { useSelectedComputer, type Computer } from '#platform/web/app/computers.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { formatDate, formatSize } from '#platform/web/browser/formats.ts';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { devicedetails } from '#tools/devices/contract.ts';
import { deletescript, scripts, scripttext } from '../../contract.ts';
import { useComputers } from '../typing/deviceEvents.ts';
import { useRetentionControls, useSending } from '../typing/useComposer.ts';
import { UploadDialog } from './UploadDialog.tsx';
import { SCRIPTS_QUERY_KEY, useReloadScripts } from './useScripts.ts';
import styles from './ScriptsPanel.module.css';

function ScriptText({ name }: { readonly name: string }) {
  const { data, error } = useQuery({
    queryKey: ['scripttext', name],
    queryFn: async () => (await call(scripttext, { name })).text,
  });
  return (
    <Card
      title={<span className="mono">{name}</span>}
      aside={<CopyButton text={data ?? ''} label={`Copy ${name}`} />}
      flush
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls inside itself, so that keys must reach it */}
      <pre className={styles['text']} tabIndex={0} aria-label={`Text of ${name}`}>
        {error?.message ?? data}
      </pre>
    </Card>
  );
}

/** Returns why a computer does not run scripts; undefined if it does, or if that is not known. */
function useRefusalReason(device: Computer | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: ['devicedetails'],
    queryFn: async () => (await call(devicedetails, {})).devices,
  });
  const details = data?.find(({ id }) => String(id) === device?.id);
  const ability = details?.abilities.scripts;
  return ability?.able === false ? `${details?.name}: ${ability.reason}` : undefined;
}

interface ScriptRowProps {
  readonly script: { readonly name: string; readonly bytes: number; readonly changed: string };
  readonly device: Computer | undefined;
  /** Undefined if the device does not run scripts. */
  readonly onSend: (() => void) | undefined;
  readonly onView: () => void;
  readonly onDelete: () => void;
}

function ScriptRow({ script, device, onSend, onView, onDelete }: ScriptRowProps) {
  const { name, bytes, changed } = script;
  return (
    <li className={styles['script']}>
      <IconFileCode size={18} stroke={1.75} className={styles['file']} />
      <span className={styles['details']}>
        <span className="mono" dir="auto">
          {name}
        </span>
        <small className="num">
          {formatSize(bytes)}, {formatDate(changed)}
        </small>
      </span>
      <span className={styles['actions']}>
        <Button size="compact-md" variant="subtle" color="gray" aria-label={`View ${name}`} onClick={onView}>
          View
        </Button>
        <Button
          size="compact-md"
          leftSection={<IconSend size={15} stroke={1.75} />}
          disabled={!onSend}
          onClick={onSend}
        >
          {device === undefined ? 'Send' : `Send to ${device.name}`}
          <span className="unseen"> {name}</span>
        </Button>
        <ConfirmButton
          size="compact-md"
          confirmLabel="Confirm Delete"
          aria-label={`Delete ${name}`}
          onConfirm={onDelete}
        >
          Delete
        </ConfirmButton>
      </span>
    </li>
  );
}

interface EmptyScriptsProps {
  readonly scripts: readonly unknown[] | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly onAdd: () => void;
}

/** Shown instead of an empty list: the reason, or how to add a script. */
function EmptyScripts({ scripts: storedScripts, error, onRetry, onAdd }: EmptyScriptsProps) {
  if (storedScripts === undefined && error !== null)
    return (
      <div className={styles['failed']}>
        <QueryError message={error.message} onRetry={onRetry} />
      </div>
    );
  if (storedScripts?.length !== 0) return null;
  return (
    <div className={styles['empty']}>
      <EmptyState
        icon={IconFileCode}
        text="Your script files appear here. Upload one, and send it to a computer with one click"
      >
        <Button variant="primary" onClick={onAdd}>
          Upload script
        </Button>
      </EmptyState>
    </div>
  );
}

/** Scripts settings: view, send, delete and upload scripts. */
export default function ScriptsPanel() {
  const { data, error, refetch } = useQuery({
    queryKey: SCRIPTS_QUERY_KEY,
    queryFn: async () => (await call(scripts, {})).scripts,
  });
  const { computers } = useComputers();
  const { selectedComputer, selectComputer } = useSelectedComputer(computers);
  const { send } = useSending();
  const { isStoringByDefault } = useRetentionControls();
  const reloadScripts = useReloadScripts();
  const [viewedName, setViewedName] = useState<string>();
  const [isUploading, setIsUploading] = useState(false);
  const deletion = useMutation({
    mutationFn: (name: string) => call(deletescript, { name }),
    onError: showError,
    onSuccess: (_, name) => {
      if (viewedName === name) setViewedName(undefined);
    },
    onSettled: reloadScripts,
  });
  function sendScript(name: string): void {
    send(FILE_MARKER + name, selectedComputer?.id, isStoringByDefault).then(
      () => notices.add('good', `${name} is running on ${selectedComputer?.name}`),
      showError,
    );
  }
  const refusalReason = useRefusalReason(selectedComputer);
  const shownName = data?.some(({ name }) => name === viewedName) ? viewedName : undefined;
  return (
    <div className={styles['panel']} data-two={shownName !== undefined || undefined}>
      <Card
        title="Scripts"
        aside={
          <span className={styles['head']}>
            {computers !== undefined && computers.length > 1 ? (
              <DevicePicker computers={computers} selected={selectedComputer} onSelect={selectComputer} hideLabel />
            ) : null}
            <Button
              size="compact-md"
              leftSection={<IconPlus size={15} stroke={1.75} />}
              onClick={() => setIsUploading(true)}
            >
              Add script file
            </Button>
          </span>
        }
        flush
      >
        <EmptyScripts scripts={data} error={error} onRetry={() => void refetch()} onAdd={() => setIsUploading(true)} />
        {refusalReason !== undefined && data?.length !== 0 ? <p className={styles['reason']}>{refusalReason}</p> : null}
        <ul>
          {data?.map((script) => (
            <ScriptRow
              key={script.name}
              script={script}
              device={selectedComputer}
              onView={() => setViewedName(script.name)}
              onSend={refusalReason === undefined ? () => sendScript(script.name) : undefined}
              onDelete={() => deletion.mutate(script.name)}
            />
          ))}
        </ul>
      </Card>
      {shownName === undefined ? null : <ScriptText name={shownName} />}
      {isUploading ? <UploadDialog onClose={() => setIsUploading(false)} onUploaded={setViewedName} /> : null}
    </div>
  );
}
