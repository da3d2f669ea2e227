/** What the user says to a running turn, on its way to the model. */
export interface SteerBox {
  /** False when the turn can take no more: it is ending, or too much waits. */
  put(text: string): boolean;
  /** Everything that waits, oldest first. */
  take(): readonly string[];
  /** The same for the last look before the end: when nothing waits, nothing is accepted any more. */
  takeOrClose(): readonly string[];
  close(): void;
}

const MAX_WAITING = 32;
const MAX_WAITING_CHARS = 512 * 1024;

/** @param onTaken is told of every text that the model will get */
export function createSteerBox(onTaken: (text: string) => void): SteerBox {
  let waiting: string[] = [];
  let chars = 0;
  let isClosed = false;

  const take = (): readonly string[] => {
    const taken = waiting;
    waiting = [];
    chars = 0;
    for (const text of taken) onTaken(text);
    return taken;
  };
  return {
    put(text) {
      if (isClosed || waiting.length >= MAX_WAITING || chars + text.length > MAX_WAITING_CHARS) return false;
      waiting.push(text);
      chars += text.length;
      return true;
    },
    take,
    takeOrClose() {
      const taken = take();
      isClosed ||= taken.length === 0;
      return taken;
    },
    close() {
      isClosed = true;
    },
  };
}
