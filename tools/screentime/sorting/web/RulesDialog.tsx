import { Button, Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { useLayoutEffect, useState } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { MAX_RULES, UNASSIGNED } from '../../contract/limits.ts';
import type { Box } from '../domain/categoryBoard.ts';
import { useRules, type Rule, type Suggestion, type RulesRequest } from './useRules.ts';
import styles from './RulesDialog.module.css';

interface SuggestionsProps {
  readonly suggestions: readonly Suggestion[];
  readonly isBusy: boolean;
  readonly onSort: (suggestions: readonly Suggestion[]) => void;
}

function Suggestions({ suggestions, isBusy, onSort }: SuggestionsProps) {
  if (suggestions.length === 0) return <p className={styles['quiet']}>No suggestions for the unassigned apps</p>;
  return (
    <>
      <ul className={styles['suggestions']} aria-label="Suggestions">
        {suggestions.map((suggestion) => {
          const { application, category } = suggestion;
          return (
            <li key={application}>
              <span className={styles['details']}>
                <b dir="auto">{application}</b>
                <span>
                  into <span dir="auto">{category}</span>
                </span>
              </span>
              <Button
                size="xs"
                disabled={isBusy}
                aria-label={`Sort ${application} into ${category}`}
                onClick={() => onSort([suggestion])}
              >
                Sort
              </Button>
            </li>
          );
        })}
      </ul>
      <Button disabled={isBusy} onClick={() => onSort(suggestions)}>
        Sort all {suggestions.length}
      </Button>
    </>
  );
}

/** A rule in the form; the key identifies its row while it moves. */
interface RuleDraft extends Rule {
  readonly key: number;
}

interface RuleRowProps {
  readonly rule: RuleDraft;
  readonly index: number;
  readonly lastIndex: number;
  readonly onChange: (rule: RuleDraft) => void;
  readonly onMove: (step: -1 | 1) => void;
  readonly onRemove: () => void;
}

function RuleRow({ rule, index, lastIndex, onChange, onMove, onRemove }: RuleRowProps) {
  const number = index + 1;
  return (
    <li>
      <input
        aria-label={`Part of a name for rule ${number}`}
        placeholder="part of a name"
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={rule.pattern}
        onChange={(event) => onChange({ ...rule, pattern: event.currentTarget.value })}
      />
      <span aria-hidden>into</span>
      <input
        aria-label={`Category for rule ${number}`}
        placeholder="category"
        list="rule-categories"
        dir="auto"
        autoComplete="off"
        value={rule.category}
        onChange={(event) => onChange({ ...rule, category: event.currentTarget.value })}
      />
      <span className={styles['actions']}>
        <IconButton label={`Move rule ${number} up`} size={28} disabled={index === 0} onClick={() => onMove(-1)}>
          <IconArrowUp size={15} stroke={1.75} />
        </IconButton>
        <IconButton
          label={`Move rule ${number} down`}
          size={28}
          disabled={index === lastIndex}
          onClick={() => onMove(1)}
        >
          <IconArrowDown size={15} stroke={1.75} />
        </IconButton>
        <IconButton label={`Delete rule ${number}`} size={28} onClick={onRemove}>
          <IconX size={15} stroke={1.75} />
        </IconButton>
      </span>
    </li>
  );
}

const isEmpty = ({ pattern, category }: Rule): boolean => pattern.trim() === '' && category.trim() === '';

interface RuleFormProps {
  readonly rules: readonly Rule[];
  readonly isBusy: boolean;
  readonly onSave: (request: RulesRequest, onSaved: () => void) => void;
  /** Reports whether there are unsaved changes. */
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

const trimRule = ({ pattern, category }: Rule): Rule => ({ pattern: pattern.trim(), category: category.trim() });
const serializeRules = (rules: readonly Rule[]): string => JSON.stringify(rules.map(trimRule));
const toDrafts = (rules: readonly Rule[]): readonly RuleDraft[] =>
  (rules.length === 0 ? [{ pattern: '', category: '' }] : rules).map((rule, key) => ({ ...rule, key }));

/** Editable list of rules; empty rows are ignored. */
function RuleForm({ rules, isBusy, onSave, onUnsaved }: RuleFormProps) {
  const [drafts, setDrafts] = useState(() => toDrafts(rules));
  /** Rules that the draft is based on; they may change elsewhere meanwhile. */
  const [baseRules, setBaseRules] = useState(rules);
  const [sortUnassigned, setSortUnassigned] = useState(true);
  const add = (): void =>
    setDrafts([...drafts, { pattern: '', category: '', key: Math.max(-1, ...drafts.map(({ key }) => key)) + 1 }]);
  function move(index: number, step: -1 | 1): void {
    const next = [...drafts];
    const [rule, other] = [drafts[index], drafts[index + step]];
    if (!rule || !other) return;
    next[index] = other;
    next[index + step] = rule;
    setDrafts(next);
  }
  const filledRules = drafts.filter((draft) => !isEmpty(draft)).map(trimRule);
  const hasIncomplete = filledRules.some(({ pattern, category }) => pattern === '' || category === '');
  const [draftJson, baseJson, serverJson] = [
    serializeRules(filledRules),
    serializeRules(baseRules),
    serializeRules(rules),
  ];
  const isUnsaved = draftJson !== serverJson;
  const hasConflict = baseJson !== serverJson && isUnsaved;
  function showNewRules(): void {
    setBaseRules(rules);
    setDrafts(toDrafts(rules));
  }
  // Without unsaved changes the newest rules are shown.
  if (hasConflict && draftJson === baseJson) showNewRules();
  useLayoutEffect(() => onUnsaved(isUnsaved), [onUnsaved, isUnsaved]);
  return (
    <Form
      onSubmit={() => {
        if (isBusy || hasIncomplete) return;
        const request = { rules: filledRules, known: hasConflict ? rules : baseRules, sortUnassigned };
        onSave(request, () => setBaseRules(filledRules));
      }}
    >
      <ol className={styles['rules']}>
        {drafts.map((rule, index) => (
          <RuleRow
            key={rule.key}
            rule={rule}
            index={index}
            lastIndex={drafts.length - 1}
            onChange={(next) => setDrafts(drafts.map((draft) => (draft.key === next.key ? next : draft)))}
            onMove={(step) => move(index, step)}
            onRemove={() => setDrafts(drafts.filter(({ key }) => key !== rule.key))}
          />
        ))}
      </ol>
      <Button
        variant="subtle"
        size="xs"
        leftSection={<IconPlus size={15} stroke={1.75} />}
        disabled={drafts.length >= MAX_RULES}
        onClick={add}
      >
        Add rule
      </Button>
      {hasIncomplete ? (
        <p className={styles['problem']} role="alert">
          Enter part of a name and a category for each rule
        </p>
      ) : null}
      {hasConflict ? (
        <p className={styles['problem']} role="alert">
          The rules were changed elsewhere after you opened them <Button onClick={showNewRules}>Show new rules</Button>
        </p>
      ) : null}
      <div className={styles['end']}>
        <Checkbox
          label="Sort unassigned apps now"
          checked={sortUnassigned}
          onChange={(event) => setSortUnassigned(event.currentTarget.checked)}
        />
        <Button type="submit" variant="primary" loading={isBusy} disabled={hasIncomplete}>
          {hasConflict ? 'Save my rules' : 'Save rules'}
        </Button>
      </div>
    </Form>
  );
}

/**
 * Dialog for the rules that sort new applications, with suggestions for unassigned ones. Addition to the specification.
 */
export function RulesDialog({ boxes, onClose }: { readonly boxes: readonly Box[]; readonly onClose: () => void }) {
  const { rules, suggestions, error, refetch, save, sort } = useRules();
  const [isUnsaved, setIsUnsaved] = useState(false);
  return (
    <Dialog title="Rules and suggestions" isOpen onClose={onClose} width={620} hasUnsaved={isUnsaved}>
      <section className={styles['section']} aria-label="Suggestions for unassigned apps">
        <h3>Suggestions for unassigned apps</h3>
        {error && !rules ? (
          <QueryError message={error.message} onRetry={refetch} />
        ) : (
          <Suggestions suggestions={suggestions} isBusy={sort.isPending} onSort={(rule) => sort.mutate(rule)} />
        )}
      </section>
      <section className={styles['section']} aria-label="Rules">
        <h3>Rules</h3>
        <p className={styles['quiet']}>
          A new app gets the category of the first rule that matches part of its name, ignoring case. Use * for any text
        </p>
        {rules ? (
          <RuleForm
            rules={rules}
            isBusy={save.isPending}
            onSave={(request, onSaved) => save.mutate(request, { onSuccess: onSaved })}
            onUnsaved={setIsUnsaved}
          />
        ) : null}
        <datalist id="rule-categories">
          {boxes
            .filter(({ name }) => name !== UNASSIGNED)
            .map(({ name }) => (
              <option key={name} value={name} aria-label={name} />
            ))}
        </datalist>
      </section>
    </Dialog>
  );
}
