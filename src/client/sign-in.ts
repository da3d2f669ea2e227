/**
 * One sign-in over a connection (PROTOCOL.md, "Authentication").
 * Invariants: its events come in their order, after the answer to its start; the terminal is the last one; callback
 * input is sent once and kept nowhere.
 */
import type { LoginProgress, LoginTerminal } from '../wire/auth.ts';
import type { Connection } from './connection.ts';

export type SignInEvent =
  | {
      readonly kind: 'progress';
      readonly state: LoginProgress['state'];
      readonly url: string | null;
      /** Words of the service about a way that is closed; not of every service. */
      readonly notice: string | null;
    }
  | { readonly kind: 'terminal'; readonly state: LoginTerminal['state'] };

export interface SignIn {
  readonly loginId: string;
  /** The final address or the code, 1–4096 bytes. @throws WireFailure auth_busy, unknown_login, invalid_payload, link_lost */
  submit(input: string): Promise<void>;
  /** The terminal still follows. @throws WireFailure unknown_login, link_lost */
  cancel(): Promise<void>;
}

/**
 * Begins to sign in.
 * @throws WireFailure auth_busy, provider_unavailable, internal_error, link_lost
 */
export async function startSignIn(
  connection: Connection,
  providerId: string,
  operationId: string,
  onEvent: (event: SignInEvent) => void,
): Promise<SignIn> {
  const held: SignInEvent[] = [];
  let isAnswered = false;
  const tell = (event: SignInEvent): void => {
    if (isAnswered) onEvent(event);
    else held.push(event);
  };
  const stop = connection.onEvent((event) => {
    if (event.sessionId !== null || event.operationId !== operationId) return;
    if (event.event === 'auth.login.progress') {
      const { payload } = event;
      const notice = 'notice' in payload ? (payload.notice ?? null) : null;
      tell({ kind: 'progress', state: payload.state, url: payload.url ?? null, notice });
    } else {
      stop();
      tell({ kind: 'terminal', state: event.payload.state });
    }
  });
  try {
    const { login_id: loginId } = await connection.request(
      'auth.login.start',
      { provider_id: providerId },
      { operationId },
    );
    isAnswered = true;
    for (const event of held) onEvent(event);
    return {
      loginId,
      submit: async (input) => {
        await connection.request('auth.login.callback', { login_id: loginId, input });
      },
      cancel: async () => {
        await connection.request('auth.login.cancel', { login_id: loginId });
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}
