import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
} from '#platform/contract/secondFactor.ts';

/** Flags of authenticator data (WebAuthn section 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>;

/** Encodes a head with a length or a number below 2^16. */
function encodeHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  return value < 256
    ? Buffer.from([(major << 5) | 24, value])
    : Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

function encodeCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? encodeHead(0, value) : encodeHead(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([encodeHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([encodeHead(2, value.length), value]);
  const entries = [...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)]);
  return Buffer.concat([encodeHead(5, value.size), ...entries]);
}

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

function createClientData(type: string, challenge: string, pageOrigin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin: pageOrigin, crossOrigin: false }));
}

function createAuthenticatorData(rpId: string, flags: number, count: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(count, 1);
  return Buffer.concat([sha256(rpId), head]);
}

/** What a test changes of a proof. */
interface ProofChanges {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
}

/** A security key in software (ES256), whose signatures are real. */
export interface Authenticator {
  readonly register: (options: RegistrationOptions) => RegistrationResponse;
  readonly authenticate: (options: AuthenticationOptions, changes?: ProofChanges) => AuthenticationResponse;
}

/** Creates an authenticator with one passkey, as a page of `origin` uses it. */
export function createAuthenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let counter = 0;
  let userHandle = '';

  function encodePublicKey(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    return encodeCbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
  }

  return {
    register: ({ challenge, rp, user }) => {
      userHandle = user.id;
      const idLength = Buffer.from([0, credentialId.length]);
      const data = Buffer.concat([
        createAuthenticatorData(rp.id, USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, counter),
        Buffer.alloc(16),
        idLength,
        credentialId,
        encodePublicKey(),
      ]);
      const attestation = encodeCbor(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', data],
        ]),
      );
      const clientData = createClientData('webauthn.create', challenge, origin);
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: clientData.toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    authenticate: ({ challenge, rpId }, changes = {}) => {
      counter = changes.counter ?? counter + 1;
      const flags = changes.isVerified === false ? USER_PRESENT : USER_PRESENT | USER_VERIFIED;
      const data = createAuthenticatorData(changes.rpId ?? rpId, flags, counter);
      const clientData = createClientData('webauthn.get', challenge, changes.origin ?? origin);
      const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey);
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle,
        },
      };
    },
  };
}
