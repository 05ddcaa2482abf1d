// The server as a program: reads settings, listens, prints the startup message, and stops on signals.
import { parseArgs } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '#platform/server/storage/errorCode.ts';
import { assembleServer, type PegboardServer } from './assemble.ts';
import { ConfigError, type Config, isHttpsRedundant, toServerOptions, readConfig } from './config.ts';
import { controlTool } from './controlSocket.ts';
import {
  type ListenAddress,
  getHostIdentity,
  listOrigins,
  listNetworkOrigins,
  listSecureOrigins,
  formatStartupMessage,
} from './startupMessage.ts';
import { stopOnSignal } from './stopOnSignal.ts';
import { serverTools } from './tools.ts';

const print = (text: string): void => void process.stdout.write(text);
function exitWithError(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

const isPortError = (error: unknown, port: number | undefined): boolean =>
  error instanceof Error && 'port' in error && error.port === port;

/** Listens. Without IPv6, `::` does not exist, and it listens on all IPv4 addresses instead. */
async function listen(server: PegboardServer, { HOST, PORT, HTTPS_PORT }: Config): Promise<void> {
  try {
    await server.listen({ host: HOST, port: PORT });
  } catch (error) {
    const [name, port] = isPortError(error, HTTPS_PORT) ? ['HTTPS_PORT', HTTPS_PORT] : ['PORT', PORT];
    if (hasErrorCode(error, 'EADDRINUSE'))
      throw new Refusal(
        'server.port_in_use',
        `Port ${port} is already in use. Stop the program that uses it, or set ${name}`,
      );
    if (hasErrorCode(error, 'EACCES'))
      throw new Refusal(
        'server.port_forbidden',
        `This user is not allowed to use port ${port}. Set ${name} to a port above 1023`,
      );
    if (HOST !== '::' || !hasErrorCode(error, 'EAFNOSUPPORT')) throw error;
    await server.listen({ host: '0.0.0.0', port: PORT });
  }
}

/** Returns the port, which the system chooses if the setting is 0. */
function getPort(server: PegboardServer): number {
  const address = server.http.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Returns what the startup message says about HTTPS. */
function describeHttps({ https }: PegboardServer, { PUBLIC_ORIGIN }: Config) {
  const ownHttps = https.describe();
  return ownHttps && { ...ownHttps, origins: listSecureOrigins(ownHttps, PUBLIC_ORIGIN) };
}

async function start(openAt: string | undefined): Promise<void> {
  const config = readConfig(process.env);
  const listening: ListenAddress = { host: config.HOST, port: config.PORT, publicOrigins: config.PUBLIC_ORIGIN };
  let port = config.PORT;
  const toSiteAddress = (origin: string): string => origin + config.BASE_PATH;
  const server = await assembleServer({
    ...toServerOptions(config),
    addresses: () => listNetworkOrigins({ ...listening, port }).map(toSiteAddress),
    https:
      config.HTTPS_PORT === undefined
        ? undefined
        : { port: config.HTTPS_PORT, getHostIdentity: () => getHostIdentity(listening) },
    tools: [...serverTools, controlTool],
  });
  if (isHttpsRedundant(config)) server.log.warn('https.port.redundant');
  stopOnSignal(server);
  await listen(server, config);
  port = getPort(server);
  const setupCode = await server.identity.getSetupCode();
  const networkOrigins = openAt === undefined ? listNetworkOrigins({ ...listening, port }) : [];
  const origins = openAt === undefined ? listOrigins({ ...listening, port }) : [openAt];
  const https = describeHttps(server, config);
  print(
    formatStartupMessage({
      origins: origins.map(toSiteAddress),
      networkOrigins: networkOrigins.map(toSiteAddress),
      setupCode,
      https: https && { ...https, origins: https.origins.map(toSiteAddress) },
    }),
  );
}

// A closed output (`npm start | head`) is no reason to stop.
process.stdout.on('error', () => undefined);

const { values } = parseArgs({ options: { 'open-at': { type: 'string' } } });
try {
  await start(values['open-at']);
} catch (error) {
  if (error instanceof ConfigError || error instanceof Refusal) exitWithError(error.message);
  throw error;
}
