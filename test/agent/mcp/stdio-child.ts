/** The fixture as a program. What it is to do wrong stands in its arguments. */
import { writeFileSync } from 'node:fs';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { fixtureServer } from './fixture-server.ts';

const moods = process.argv.slice(2);
process.stderr.write(`started with ${process.env.SECRET ?? 'nothing'}\n`);
const pidFile = process.env.PID_FILE;
if (pidFile !== undefined) writeFileSync(pidFile, String(process.pid));
if (moods.includes('dies')) process.exit(4);
if (moods.includes('noise')) process.stdout.write('this is not JSON\n{"jsonrpc":"1.0"}\n');
if (moods.includes('chatty')) process.stderr.write('line\n'.repeat(1000));
// Ends only when it is killed.
if (moods.includes('stubborn')) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
if (!moods.includes('mute')) await fixtureServer().connect(new StdioServerTransport());
else process.stdin.resume();
