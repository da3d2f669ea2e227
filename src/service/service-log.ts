/** The log file of one service: JSON lines, begun anew when it has grown large. */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { type Log, type LogFields, redactor } from './log.ts';

const MAX_BYTES = 5 * 1_024 * 1_024;

/** Logs of a state root. @throws when the folder cannot be created */
function logFolder(stateRoot: string): string {
  const folder = join(stateRoot, 'logs');
  try {
    // With `recursive` Node would take a read-only file system for a missing folder.
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return folder;
}

/** @throws when the file cannot be written */
export function openServiceLog(stateRoot: string, serviceKey: string, env: NodeJS.ProcessEnv): Log {
  const file = join(logFolder(stateRoot), `service-${serviceKey.slice(0, 8)}.log`);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) rmSync(file);
  const destination = pino.destination({ dest: file, sync: true, mode: 0o600 });
  // A full disk delays the log, and nothing else: what could not be written is tried again with the next line.
  destination.on('error', () => undefined);
  const logger = pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const clean = redactor(env);
  const fieldsOf = (fields: LogFields): LogFields =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? clean(value) : value]),
    );
  return {
    info: (message, fields) => logger.info(fieldsOf(fields), message),
    warn: (message, fields) => logger.warn(fieldsOf(fields), message),
    error: (message, fields) => logger.error(fieldsOf(fields), message),
  };
}
