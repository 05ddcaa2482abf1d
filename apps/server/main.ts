// The server as a program: reads the settings, listens, greets, and stops when told to.
import { parseArgs } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import { isCode } from '#platform/server/systemError.ts';
import { assembleServer, type PegboardServer } from './assemble.ts';
import { BadConfig, type Config, optionsOf, readConfig } from './config.ts';
import { controlTool } from './control.ts';
import { greeting } from './greeting.ts';
import { type Listening, machineOf, originsToOpen, outerOrigins, secureOrigins } from './network.ts';
import { stopWhenTold } from './stopping.ts';
import { serverTools } from './tools.ts';

const say = (text: string): void => void process.stdout.write(text);
const giveUp = (sentence: string): never => {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
};

const isOfPort = (error: unknown, port: number | undefined): boolean =>
  error instanceof Error && 'port' in error && error.port === port;

/** Listens; a machine without IPv6 has no `::`, and listens on all its IPv4 addresses then. */
const listen = async (server: PegboardServer, { HOST, PORT, HTTPS_PORT }: Config): Promise<void> => {
  try {
    await server.listen({ host: HOST, port: PORT });
  } catch (error) {
    const [name, port] = isOfPort(error, HTTPS_PORT) ? ['HTTPS_PORT', HTTPS_PORT] : ['PORT', PORT];
    if (isCode(error, 'EADDRINUSE'))
      throw new Refusal(`Port ${port} is taken. Stop what listens there, or set ${name}.`);
    if (isCode(error, 'EACCES'))
      throw new Refusal(`Port ${port} may not be used by this user. Set ${name} to one over 1023.`);
    if (HOST !== '::' || !isCode(error, 'EAFNOSUPPORT')) throw error;
    await server.listen({ host: '0.0.0.0', port: PORT });
  }
};

/** The port listened on, which the system chooses where 0 was asked for. */
const portOf = (server: PegboardServer): number => {
  const address = server.http.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** What the greeting says of https. */
const httpsOf = ({ https }: PegboardServer, { PUBLIC_ORIGIN }: Config) => {
  const about = https.about();
  return about && { ...about, origins: secureOrigins(about, PUBLIC_ORIGIN) };
};

/** A proxy with a real certificate in front: phones need to trust nothing. */
const isTwice = ({ HTTPS_PORT, PUBLIC_ORIGIN }: Config): boolean =>
  HTTPS_PORT !== undefined && PUBLIC_ORIGIN.some((origin) => origin.startsWith('https:'));

const start = async (openAt: string | undefined): Promise<void> => {
  const config = readConfig(process.env);
  const listening: Listening = { host: config.HOST, port: config.PORT, publicOrigins: config.PUBLIC_ORIGIN };
  let port = config.PORT;
  const server = await assembleServer({
    ...optionsOf(config),
    addresses: () => outerOrigins({ ...listening, port }),
    https:
      config.HTTPS_PORT === undefined ? undefined : { port: config.HTTPS_PORT, machine: () => machineOf(listening) },
    tools: [...serverTools, controlTool],
  });
  if (isTwice(config)) server.log.warn('https: PUBLIC_ORIGIN is https already, so HTTPS_PORT may be left out');
  stopWhenTold(server);
  await listen(server, config);
  port = portOf(server);
  const setupCode = await server.identity.setupCode();
  const outer = openAt === undefined ? outerOrigins({ ...listening, port }) : [];
  const origins = openAt === undefined ? originsToOpen({ ...listening, port }) : [openAt];
  say(greeting({ origins, outer, setupCode, https: httpsOf(server, config) }));
};

// A reader that has gone (`npm start | head`) is no reason to stop.
process.stdout.on('error', () => undefined);

const { values } = parseArgs({ options: { 'open-at': { type: 'string' } } });
try {
  await start(values['open-at']);
} catch (error) {
  if (error instanceof BadConfig || error instanceof Refusal) giveUp(error.message);
  throw error;
}
