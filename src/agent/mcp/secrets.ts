/** Strikes out what the settings or the environment gave to a server, before a line reaches the log. */

/** Shorter values would strike out ordinary words. */
const SHORTEST = 6;

export function striking(secrets: readonly string[]): (text: string) => string {
  const long = secrets.filter((secret) => secret.length >= SHORTEST).sort((a, b) => b.length - a.length);
  return (text) => long.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
