/** What the service tells its log. Secrets are struck out before a line is written. */
export interface Log {
  info(message: string, fields: LogFields): void;
  warn(message: string, fields: LogFields): void;
  error(message: string, fields: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const KEY_LIKE = /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/g;
/** Shorter values would strike out ordinary words. */
const SHORTEST_SECRET = 6;

/** What this process has read from or written to the store of credentials. */
const hidden = new Set<string>();

/** From now on the value is struck out of everything that is logged. */
export function hideFromLogs(secret: string): void {
  if (secret.length >= SHORTEST_SECRET) hidden.add(secret);
}

/**
 * Strikes out values of environment variables whose names speak of keys, stored credentials, and whatever looks like
 * a key.
 */
export function redactor(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.entries(env)
    .filter(([name]) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name))
    .map(([, value]) => value ?? '')
    .filter((value) => value.length >= SHORTEST_SECRET);
  return (text) => {
    let clean = text;
    for (const secret of [...secrets, ...hidden]) clean = clean.replaceAll(secret, '[redacted]');
    return clean.replaceAll(KEY_LIKE, '[redacted]');
  };
}
