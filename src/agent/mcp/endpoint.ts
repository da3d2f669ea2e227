/**
 * How to reach a server of the settings. Invariants: a program gets a plain environment and what the settings give it,
 * never the keys of models; what is secret about a server is known, so that it can be struck out of the log.
 */
import { resolve } from 'node:path';
import { isProgram, type McpServer } from '../../platform/mcp-settings.ts';
import { McpFailure } from './failure.ts';
import type { Program } from './stdio-transport.ts';

export type Endpoint =
  | { readonly kind: 'program'; readonly program: Program }
  | { readonly kind: 'address'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What every program needs and nothing secret stands in: the SDK's own choice, places, language and time. */
const HANDED_ON = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

/** @throws McpFailure when the environment lacks something */
export function endpointOf(server: McpServer, workspace: string, env: NodeJS.ProcessEnv): Endpoint {
  if (isProgram(server)) {
    const { args = [], command, cwd = '.' } = server;
    const program = { command, args, cwd: resolve(workspace, cwd), env: { ...plain(env), ...server.env } };
    return { kind: 'program', program };
  }
  const headers: Record<string, string> = {};
  for (const [name, variable] of Object.entries(server.headersEnv ?? {})) {
    const value = env[variable]?.trim() ?? '';
    if (value === '' || /[^\t\x20-\x7e\x80-\xff]/u.test(value)) {
      const words = `the environment variable ${variable.slice(0, 100)} that headersEnv names is not set, or holds no header`;
      throw new McpFailure(words, words);
    }
    headers[name] = value;
  }
  return { kind: 'address', url: server.url, headers };
}

/** What must not stand in a log. */
export function secretsOf(server: McpServer, env: NodeJS.ProcessEnv): readonly string[] {
  if (isProgram(server)) return Object.values(server.env ?? {});
  const values = Object.values(server.headersEnv ?? {}).map((variable) => env[variable]?.trim() ?? '');
  return [...values, ...hiddenIn(server.url)];
}

function plain(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    HANDED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** Addresses may carry keys. */
function hiddenIn(url: string): string[] {
  const { password, search } = new URL(url);
  return [decodeURIComponent(password), ...new URLSearchParams(search).values()];
}
