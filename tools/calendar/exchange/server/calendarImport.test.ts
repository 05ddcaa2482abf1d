import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryDraft } from '#testing/kits/browser/drafts.ts';
import { normalizeDraft } from '../../events/domain/eventDraft.ts';
import { toExportedEvent } from './calendarExport.ts';
import { parseExportedDraft } from './calendarImport.ts';

const STORED = {
  id: 7,
  uid: 'u',
  resource: 'u.ics',
  subscription: undefined,
  parent: undefined,
  replaces: undefined,
  created: 0,
  edited: 0,
  deleted: undefined,
  revision: 1,
};

test('an event that is exported and imported is the same', () => {
  fc.assert(
    fc.property(arbitraryDraft, (draft) => {
      const normalized = normalizeDraft(draft);
      const exported = toExportedEvent({ ...STORED, ...normalized }, { history: [], source: undefined });
      const imported = parseExportedDraft(JSON.parse(JSON.stringify(exported)));
      expect(normalizeDraft(imported)).toEqual(normalized);
    }),
  );
});
