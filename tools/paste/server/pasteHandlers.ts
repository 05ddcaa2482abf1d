import { randomInt } from 'node:crypto';
import type { RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import { scaleRate } from '#platform/server/http/callRoutes.ts';
import type { Rate } from '#platform/server/http/rateLimiter.ts';
import { ensureVisitorCookie, getVisitorKey } from '#platform/server/identity/visitor.ts';
import { handle, type Caller, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { deletepaste, mypastes, paste, pasteraw } from '../contract.ts';
import { codeFrom, makeCode, bytesOf, checkSealed, checkText, KEPT_MS } from '../domain/paste.ts';
import { pieceStore, type Owner, type Piece } from './pasteStore.ts';

const LISTED = 20;
/** Reliability.md section 3. */
const STORES: Rate = { times: 30, seconds: 3600 };
const RETRIEVALS: Rate = { times: 60, seconds: 60 };

const NO_ROOM =
  'The disk of this server is nearly full, so it keeps texts of signed-in people only. Log in, or ask its owner to make room';
const NEEDS_KEY = 'This text is encrypted: open it by its whole link, which has the key';
const WRONG_KEY = 'The key in this link does not open the text, which is still there: the link may be cut off';
const UNKNOWN = 'There is no text under that code: it may be mistyped, expired, deleted, or burnt after it was read';

const ownerOf = (caller: Caller): Owner => ({ account: caller.account, visitor: getVisitorKey(caller) });

/** The same, of a browser that is told apart from now on for as long as the piece may be kept. */
const ownerToBe = (caller: Caller): Owner => ({ account: caller.account, visitor: ensureVisitorCookie(caller) });

/** @throws Refusal for what is no code of ours, in the words for an unknown one. */
const asked = (typed: string): string => {
  const code = codeFrom(typed);
  if (code === undefined) throw new Refusal(UNKNOWN);
  return code;
};

const found = <Found>(piece: Found | undefined, sentence = UNKNOWN): Found => {
  if (piece === undefined) throw new Refusal(sentence);
  return piece;
};

const given = ({ text, code, expires, isEncrypted, burns }: Piece) => ({
  clipmessage: text,
  code,
  expires: String(expires),
  ...(isEncrypted ? { encrypted: true } : {}),
  ...(burns ? { burns: true } : {}),
});

export function calls({ database, limits, disk, now }: ServerContext): readonly Handler[] {
  const pieces = pieceStore(database);

  const count = async (name: string, rate: Rate, { session, address, isLocal }: Caller): Promise<void> =>
    limits.consume(
      `paste ${name} ${session === undefined ? 'address' : 'session'}`,
      session === undefined ? getAddressKey(address) : String(session),
      scaleRate(rate, isLocal),
    );

  const store = async (request: RequestOf<typeof paste>, caller: Caller) => {
    await count('store', STORES, caller);
    const { inputValue: text, keep = '30d', burn = false, encrypted = false, keyproof } = request;
    if (encrypted) checkSealed(text);
    else checkText(text);
    if (caller.account === undefined && !disk.canStoreFiles()) throw new Refusal(NO_ROOM);
    const created = now();
    const piece = {
      text,
      bytes: bytesOf(text),
      isEncrypted: encrypted,
      burns: burn,
      keyProof: encrypted ? keyproof : undefined,
      created,
      expires: created.add({ milliseconds: KEPT_MS[keep] }),
    };
    const owner = ownerToBe(caller);
    for (;;) {
      const code = makeCode(randomInt);
      if (await pieces.keep({ ...piece, code }, owner)) return { code, expires: String(piece.expires) };
    }
  };

  /** @throws Refusal where the one who asks could not read the text: before it burns. */
  const checkKeyProof = async (code: string, proof: string | undefined, careful: boolean): Promise<void> => {
    if (proof === undefined && careful) return; // a page that has no key yet says so itself
    const wanted = await pieces.keyProof(code);
    if (wanted !== undefined && wanted !== proof) throw new Refusal(proof === undefined ? NEEDS_KEY : WRONG_KEY);
  };

  const retrieve = async ({ inputValue, careful = false, keyproof }: RequestOf<typeof paste>, caller: Caller) => {
    await count('retrieve', RETRIEVALS, caller);
    if (inputValue.trim() === '')
      return given(
        found(await pieces.newestOf(ownerOf(caller), now()), 'Nothing is stored from this browser or account'),
      );
    const code = asked(inputValue);
    const { burns, isEncrypted, expires } = found(await pieces.about(code, now()));
    if (!burns) return given(found(await pieces.read(code, now())));
    if (isEncrypted) await checkKeyProof(code, keyproof, careful);
    if (careful) return { code, expires: String(expires), burns, ...(isEncrypted ? { encrypted: true } : {}) };
    return given(found(await pieces.burn(code, now())));
  };

  return [
    handle(paste, async (request, caller) =>
      request.style === 'retreive' ? retrieve(request, caller) : store(request, caller),
    ),

    handle(pasteraw, async ({ code: typed }, caller) => {
      await count('retrieve', RETRIEVALS, caller);
      const code = asked(typed);
      const { burns, isEncrypted } = found(await pieces.about(code, now()));
      // Whoever follows a link to look what is behind it, as messengers do, must not burn it.
      if (burns) throw new Refusal(`This text burns after reading: open it at /pastebin?code=${code}`);
      if (isEncrypted) throw new Refusal(NEEDS_KEY);
      const { text } = found(await pieces.read(code, now()));
      return { type: 'text/plain', content: text };
    }),

    handle(mypastes, async (_request, caller) => ({
      pieces: (await pieces.listOf(ownerOf(caller), now(), LISTED)).map(
        ({ isEncrypted, created, expires, ...piece }) => ({
          ...piece,
          encrypted: isEncrypted,
          created: String(created),
          expires: String(expires),
        }),
      ),
    })),

    handle(deletepaste, async ({ code }, caller) => {
      if (!(await pieces.remove(ownerOf(caller), asked(code), now()))) throw new Refusal(UNKNOWN);
      return {};
    }),
  ];
}
