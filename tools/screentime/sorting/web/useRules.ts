import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { categoriesChanged, saveusagerules, sortapplication, usagerules } from '../../contract.ts';
import { RULES_KEY } from './useSorting.ts';

type RulesAnswer = AnswerOf<typeof usagerules>;
export type Rule = RulesAnswer['rules'][number];
export type Suggestion = RulesAnswer['suggestions'][number];

export interface RulesRequest {
  readonly rules: readonly Rule[];
  /** As last seen. */
  readonly known: readonly Rule[];
  readonly sortUnassigned: boolean;
}

const useRulesQuery = () =>
  useQuery({
    queryKey: RULES_KEY,
    queryFn: () => call(usagerules, {}),
    staleTime: createLiveStaleTime([categoriesChanged]),
  });

/** Counts suggestions for unassigned applications. */
export function useSuggestionCount(): number {
  return useRulesQuery().data?.suggestions.length ?? 0;
}

function formatSorted(count: number): string {
  if (count === 0) return 'Saved the rules';
  return count === 1 ? 'Saved the rules and sorted 1 app' : `Saved the rules and sorted ${count} apps`;
}

/** Loads rules and suggestions, with their actions. */
export function useRules() {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useRulesQuery();
  const reload = (): Promise<void> => queryClient.invalidateQueries({ queryKey: RULES_KEY });
  const save = useMutation({
    mutationFn: ({ rules, known, sortUnassigned }: RulesRequest) =>
      call(saveusagerules, { rules: [...rules], known: [...known], sortUnassigned }),
    onSuccess: ({ sorted }) => notices.add('good', formatSorted(sorted)),
    onError: showError,
    onSettled: reload,
  });
  const sort = useMutation({
    mutationFn: async (suggestions: readonly Suggestion[]) => {
      for (const suggestion of suggestions) await call(sortapplication, suggestion);
    },
    onSuccess: (_done, [first, ...more]) => {
      if (first && more.length === 0) notices.add('good', `${first.application} moved to ${first.category}`);
      else notices.add('good', `Sorted ${more.length + 1} apps`);
    },
    onError: showError,
    onSettled: reload,
  });
  return { rules: data?.rules, suggestions: data?.suggestions ?? [], error, refetch, save, sort };
}
