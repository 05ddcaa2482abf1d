// `npm run pegboard -- <command>`: admin commands in a terminal.
import { enableCompileCache } from 'node:module';
import { COMPILE_CACHE } from './buildStamp.ts';

// Before the commands are loaded, which takes half the time with it.
enableCompileCache(COMPILE_CACHE);
const { runCommand } = await import('./commands.ts');

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  print: (text) => void process.stdout.write(`${text.trimEnd()}\n`),
  printError: (text) => void process.stderr.write(`${text.trimEnd()}\n`),
});
