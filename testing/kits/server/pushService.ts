import { createDecipheriv, createECDH, createHmac, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listenLocally } from './localServer.ts';

/** A message as the browser of a subscription receives it. */
export interface DeliveredMessage {
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** A browser that is subscribed to the service. */
export interface PushBrowser {
  /** The result of `PushSubscription.toJSON()`. */
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  readonly delivered: readonly DeliveredMessage[];
  /** Sets the answer of the service for this browser; 201 accepts the message. */
  readonly setStatus: (status: number) => void;
}

export interface TestPushService extends AsyncDisposable {
  readonly origin: string;
  /** Creates a subscription whose messages must be signed with this key, as returned by `pushkey`. */
  readonly subscribeBrowser: (serverKey: string) => PushBrowser;
}

const hmac = (key: Uint8Array, ...texts: readonly Uint8Array[]): Buffer =>
  createHmac('sha256', key).update(Buffer.concat(texts)).digest();

const ascii = (text: string): Buffer => Buffer.from(text, 'ascii');

/** Decrypts one record of `aes128gcm` (RFC 8291 section 3.4, RFC 8188 section 2), independent of the server's code. */
function decrypt(message: Buffer, receiver: ECDH, auth: Buffer): string {
  const salt = message.subarray(0, 16);
  const idBytes = message.readUInt8(20);
  const sender = message.subarray(21, 21 + idBytes);
  const encrypted = message.subarray(21 + idBytes);
  if (encrypted.length > message.readUInt32BE(16)) throw new Error('longer than a record');
  const prkKey = hmac(auth, receiver.computeSecret(sender));
  const ikm = hmac(prkKey, ascii('WebPush: info\0'), receiver.getPublicKey(), sender, Buffer.of(1));
  const prk = hmac(salt, ikm);
  const key = hmac(prk, ascii('Content-Encoding: aes128gcm\0'), Buffer.of(1)).subarray(0, 16);
  const nonce = hmac(prk, ascii('Content-Encoding: nonce\0'), Buffer.of(1)).subarray(0, 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(encrypted.subarray(-16));
  const padded = Buffer.concat([decipher.update(encrypted.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('wrong padding');
  return padded.subarray(0, end).toString('utf8');
}

const parseJson = (part: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;

function decodePublicKey(serverKey: string) {
  const point = Buffer.from(serverKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  return createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') },
    format: 'jwk',
  });
}

const isMeantFor = (origin: string, claims: Readonly<Record<string, unknown>>): boolean =>
  claims['aud'] === origin && /^(mailto|https):/.test(String(claims['sub'])) && Number(claims['exp']) > 0;

/** Returns whether the request is signed with this key for this service (RFC 8292). */
function isSignedBy(authorization: string, serverKey: string, origin: string): boolean {
  const [, head = '', claims = '', signature = '', key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  if (key !== serverKey || parseJson(head)['alg'] !== 'ES256' || !isMeantFor(origin, parseJson(claims))) return false;
  const publicKey = { key: decodePublicKey(key), dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', ascii(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'));
}

/** Starts a push service over plain HTTP that checks signatures and decrypts the messages for its browsers. */
export async function startPushService(): Promise<TestPushService> {
  const receivers = new Map<string, (body: Buffer, headers: IncomingHttpHeaders) => number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const receive = receivers.get(request.url ?? '');
      response.writeHead(receive ? receive(Buffer.concat(chunks), request.headers) : 404).end();
    });
  });
  const localServer = await listenLocally(server);
  const { origin } = localServer;
  return {
    ...localServer,
    subscribeBrowser: (serverKey) => {
      const keys = createECDH('prime256v1');
      keys.generateKeys();
      const auth = randomBytes(16);
      const path = `/push/${randomBytes(8).toString('hex')}`;
      const delivered: DeliveredMessage[] = [];
      let status = 201;
      receivers.set(path, (body, headers) => {
        if (!isSignedBy(headers.authorization ?? '', serverKey, origin)) return 403;
        if (status === 201) delivered.push({ text: decrypt(body, keys, auth), headers });
        return status;
      });
      return {
        subscription: {
          endpoint: origin + path,
          keys: { p256dh: keys.getPublicKey().toString('base64url'), auth: auth.toString('base64url') },
        },
        delivered,
        setStatus: (next) => void (status = next),
      };
    },
  };
}
