import { randomInt } from 'node:crypto';
import type { RequestOf } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import { scaleRate } from '#platform/server/http/callRoutes.ts';
import type { Rate } from '#platform/server/http/rateLimiter.ts';
import { ensureVisitorCookie, getVisitorKey } from '#platform/server/identity/visitor.ts';
import { handle, type Caller, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { deletepaste, mypastes, paste, pasteraw } from '../contract.ts';
import {
  parseCode,
  generateCode,
  getUtf8Size,
  validateCiphertext,
  validateText,
  RETENTION_MS,
} from '../domain/paste.ts';
import { createPasteStore, type PasteOwner, type Paste } from './pasteStore.ts';

const MAX_LISTED_PASTES = 20;
/** Limits per session, or per address for visitors. */
const STORE_RATE: Rate = { times: 30, seconds: HOUR_SECONDS };
const RETRIEVE_RATE: Rate = { times: 60, seconds: 60 };

const LOW_DISK_SPACE_MESSAGE =
  'This server is low on disk space, so only users with an account can store texts. Log in, or ask its owner to free some space';
const NEEDS_KEY_MESSAGE = 'This paste is encrypted. Open it with its full link, which contains the key';
const WRONG_KEY_MESSAGE =
  'The key in this link does not match the paste, which was not deleted. Check that the link is complete';
const PASTE_NOT_FOUND_MESSAGE =
  'There is no paste with this code. Check it for typos; the paste may also have expired or been deleted';

const getOwner = (caller: Caller): PasteOwner => ({ account: caller.account, visitor: getVisitorKey(caller) });

/** Returns the owner of a new paste. Gives a visitor's browser a cookie that identifies it until the paste expires. */
const getOrCreateOwner = (caller: Caller): PasteOwner => ({
  account: caller.account,
  visitor: ensureVisitorCookie(caller),
});

/** Parses a typed code. @throws Refusal if it is invalid, with the same message as for an unknown code. */
function requireCode(input: string): string {
  const code = parseCode(input);
  if (code === undefined) throw new Refusal('paste.not_found', PASTE_NOT_FOUND_MESSAGE);
  return code;
}

/** Returns a paste that must exist. @throws Refusal if it was not found. */
function requireFound<Found>(found: Found | undefined, message = PASTE_NOT_FOUND_MESSAGE): Found {
  if (found === undefined) throw new Refusal('paste.not_found', message);
  return found;
}

const toResponse = ({ text, code, expires, isEncrypted, burns }: Paste) => ({
  clipmessage: text,
  code,
  expires: String(expires),
  ...(isEncrypted ? { encrypted: true } : {}),
  ...(burns ? { burns: true } : {}),
});

/** Creates the handlers of the calls in the contract. */
export function createPasteHandlers({ database, rateLimiter, disk, now }: ServerContext): readonly Handler[] {
  const store = createPasteStore(database);

  /** Counts a call. @throws RateLimitError if the caller exceeds the rate. */
  const applyRateLimit = async (action: string, rate: Rate, { session, address, isLocal }: Caller): Promise<void> =>
    rateLimiter.consume(
      `paste ${action} ${session === undefined ? 'address' : 'session'}`,
      session === undefined ? getAddressKey(address) : String(session),
      scaleRate(rate, isLocal),
    );

  async function storePaste(request: RequestOf<typeof paste>, caller: Caller) {
    await applyRateLimit('store', STORE_RATE, caller);
    const { inputValue: text, keep = '30d', burn = false, encrypted = false, keyproof } = request;
    if (encrypted) validateCiphertext(text);
    else validateText(text);
    if (caller.account === undefined && !disk.canStoreFiles()) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
    const created = now();
    const newPaste = {
      text,
      bytes: getUtf8Size(text),
      isEncrypted: encrypted,
      burns: burn,
      keyProof: encrypted ? keyproof : undefined,
      created,
      expires: created.add({ milliseconds: RETENTION_MS[keep] }),
    };
    const owner = getOrCreateOwner(caller);
    // Tries another code in the unlikely case that one is taken.
    for (;;) {
      const code = generateCode(randomInt);
      if (await store.insert({ ...newPaste, code }, owner)) return { code, expires: String(newPaste.expires) };
    }
  }

  /** Validates the key proof, before the paste is deleted. @throws Refusal if the caller can't decrypt the paste. */
  async function validateKeyProof(code: string, proof: string | undefined, careful: boolean): Promise<void> {
    // A page without the key shows its own message and deletes nothing.
    if (proof === undefined && careful) return;
    const storedProof = await store.findKeyProof(code);
    if (storedProof !== undefined && storedProof !== proof)
      throw new Refusal(
        proof === undefined ? 'paste.key_missing' : 'paste.wrong_key',
        proof === undefined ? NEEDS_KEY_MESSAGE : WRONG_KEY_MESSAGE,
      );
  }

  async function retrievePaste({ inputValue, careful = false, keyproof }: RequestOf<typeof paste>, caller: Caller) {
    await applyRateLimit('retrieve', RETRIEVE_RATE, caller);
    if (inputValue.trim() === '')
      return toResponse(
        requireFound(
          await store.findNewest(getOwner(caller), now()),
          'This account or browser has no pastes yet. Store a text, or open a paste by its code',
        ),
      );
    const code = requireCode(inputValue);
    const { burns, isEncrypted, expires } = requireFound(await store.findSummary(code, now()));
    if (!burns) return toResponse(requireFound(await store.read(code, now())));
    if (isEncrypted) await validateKeyProof(code, keyproof, careful);
    if (careful) return { code, expires: String(expires), burns, ...(isEncrypted ? { encrypted: true } : {}) };
    return toResponse(requireFound(await store.consume(code, now())));
  }

  return [
    handle(paste, async (request, caller) =>
      request.style === 'retreive' ? retrievePaste(request, caller) : storePaste(request, caller),
    ),

    handle(pasteraw, async ({ code: input }, caller) => {
      await applyRateLimit('retrieve', RETRIEVE_RATE, caller);
      const code = requireCode(input);
      const { burns, isEncrypted } = requireFound(await store.findSummary(code, now()));
      // Link previews of messengers open this address too, and must not burn the paste.
      if (burns)
        throw new Refusal(
          'paste.no_raw_view',
          `This paste burns after reading, so it has no raw view. Open it at /pastebin?code=${code}`,
        );
      if (isEncrypted) throw new Refusal('paste.key_missing', NEEDS_KEY_MESSAGE);
      const { text } = requireFound(await store.read(code, now()));
      return { type: 'text/plain', content: text };
    }),

    handle(mypastes, async (_request, caller) => ({
      pieces: (await store.list(getOwner(caller), now(), MAX_LISTED_PASTES)).map(
        ({ isEncrypted, created, expires, ...summary }) => ({
          ...summary,
          encrypted: isEncrypted,
          created: String(created),
          expires: String(expires),
        }),
      ),
    })),

    handle(deletepaste, async ({ code }, caller) => {
      if (!(await store.remove(getOwner(caller), requireCode(code), now())))
        throw new Refusal('paste.not_found', PASTE_NOT_FOUND_MESSAGE);
    }),
  ];
}
