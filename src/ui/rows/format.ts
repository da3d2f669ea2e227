/** Numbers and times as people read them. */

/** `0:26`, `12:05`, `1:02:03` from milliseconds. */
export function clock(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = String(total % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`;
}

/** `14.2 s` from milliseconds. */
export function seconds(ms: number): string {
  return ms >= 60_000 ? clock(ms) : `${(ms / 1000).toFixed(1)} s`;
}

/** `980`, `12.4k`, `1.2M` */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `980 B`, `12.4 KB`, `4.1 MB` */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} KB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** A day as people say it: `today 14:02`, `yesterday`, `3 Nov`, `3 Nov 2025`. Both in Unix time, ms. */
export function day(time: number, now: number): string {
  const then = new Date(time);
  const today = new Date(now);
  const days = Math.round((midnight(today) - midnight(then)) / 86_400_000);
  if (days === 0) return `today ${hour(time)}`;
  if (days === 1) return `yesterday ${hour(time)}`;
  const date = `${then.getDate()} ${MONTHS[then.getMonth()] ?? ''}`;
  return then.getFullYear() === today.getFullYear() ? date : `${date} ${then.getFullYear()}`;
}

/** `14:02` of a Unix time, ms. */
export function hour(time: number): string {
  const then = new Date(time);
  return `${String(then.getHours()).padStart(2, '0')}:${String(then.getMinutes()).padStart(2, '0')}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** The home folder as `~`. */
export function shortPath(path: string, home: string): string {
  return home !== '' && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
}
