/** Why a turn failed: words for the log, and words for people. */
export class TurnFailure extends Error {
  /** What happened and what to do. Fixed words and a host at most: never quotes a provider. */
  readonly notice: string;
  /** The credential that was signed in for is no longer taken. */
  readonly isRefused: boolean;

  /** @param message for the log: it may quote a provider */
  constructor(message: string, notice: string, isRefused = false) {
    super(message);
    this.name = 'TurnFailure';
    this.notice = notice;
    this.isRefused = isRefused;
  }
}
