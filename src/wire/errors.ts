/** The error codes of the wire as data (PROTOCOL.md, "Errors"): fixed message, sentence and next step for people. */

interface ErrorText {
  /** Sent on the wire, fixed. */
  readonly message: string;
  /** What happened, for people. */
  readonly sentence: string;
  /** What to do next, for people. */
  readonly next: string;
}

const text = (message: string, sentence: string, next: string): ErrorText => ({ message, sentence, next });
const REPORT = 'This is a fault in the program: restart it, and report it if it comes back.';
const RETRY = 'Wait a moment and try again.';

export const ERRORS = {
  invalid_json: text('request is not valid JSON', 'The service could not read a request.', REPORT),
  record_too_large: text(
    'request record exceeds the maximum size',
    'The request was too large.',
    'Shorten the message.',
  ),
  invalid_request: text('request envelope is invalid', 'The service did not accept a request.', REPORT),
  payload_too_large: text(
    'request payload exceeds the maximum size',
    'The message is too large.',
    'Shorten the message.',
  ),
  limit_exceeded: text(
    'request exceeds a protocol limit',
    'A limit of the service is reached.',
    'Shorten the message, or close a session that is open elsewhere.',
  ),
  unsupported_version: text(
    'protocol version is not supported',
    'The service speaks another protocol version.',
    'Update magi-term or the service.',
  ),
  unsupported_capability: text(
    'requested capability is not supported',
    'The service lacks a feature that was asked for.',
    'Update the service.',
  ),
  unsupported_operation: text(
    'operation is not supported',
    'The service cannot do this.',
    'Messages that start with /side are not supported here.',
  ),
  not_initialized: text(
    'initialize must complete before this operation',
    'The connection was not ready.',
    REPORT,
  ),
  already_initialized: text('Connection is already initialized.', 'The connection was opened twice.', REPORT),
  invalid_payload: text(
    'operation payload is invalid',
    'The service did not accept the content of a request.',
    REPORT,
  ),
  duplicate_request_id: text('request_id is already in flight', 'A request was sent twice.', REPORT),
  stale_instance: text(
    'Daemon instance changed.',
    'The service was restarted.',
    'The session is read again; check whether your last message is in it.',
  ),
  stale_connection: text('Connection is no longer valid.', 'The connection ended meanwhile.', RETRY),
  stale_grant: text(
    'Control is no longer valid.',
    'This window no longer controls the session.',
    'Open the session again.',
  ),
  session_controlled: text(
    'Session already has a controller.',
    'Another window controls this session.',
    'Close it there, or watch it here.',
  ),
  session_busy: text(
    'session has a conflicting writer or is closing',
    'The session is in use or still closing.',
    RETRY,
  ),
  session_unavailable: text(
    'session is unavailable',
    'The session cannot be read.',
    'Choose another session, or start a new one.',
  ),
  invalid_session_id: text(
    'session ID is invalid',
    'That is no session ID.',
    'Choose a session from the list.',
  ),
  operation_already_known: text('Look up the existing operation.', 'This was asked for before.', RETRY),
  operation_identity_mismatch: text(
    'Operation identity has different intent.',
    'Two different requests had one identity.',
    REPORT,
  ),
  operation_expired: text(
    'Operation outcome expired.',
    'The outcome is no longer known.',
    'Read the session to see what happened.',
  ),
  operation_capacity: text(
    'Operation registry is full.',
    'The service remembers too many requests.',
    'Wait up to 20 minutes, or restart the service.',
  ),
  too_many_active_turns: text(
    'the service has reached its active turn limit',
    'Too many turns run at once.',
    'Stop one of them, or wait.',
  ),
  unknown_turn: text(
    'turn is unknown or already terminal',
    'The turn has already ended.',
    'Nothing to stop.',
  ),
  request_timeout: text(
    'Request was not admitted before timeout.',
    'The service took too long to begin.',
    RETRY,
  ),
  persistence_failed: text(
    'Terminal state could not be saved.',
    'The answer could not be saved to disk.',
    'Check free space and rights of the state folder; the text is still on the screen.',
  ),
  output_limit_exceeded: text(
    'Assistant output exceeded the negotiated bound.',
    'The answer passed the size limit of one turn.',
    'Ask for the rest in a new message.',
  ),
  auth_busy: text(
    'authentication operation is already running',
    'Another sign-in operation is running.',
    RETRY,
  ),
  unknown_login: text(
    'login is unknown or already terminal',
    'That sign-in has already ended.',
    'Start it again.',
  ),
  provider_unavailable: text(
    'provider does not support this operation',
    'This provider cannot do that.',
    'Choose another provider.',
  ),
  confirmation_required: text(
    'logout requires explicit confirmation',
    'Signing out must be confirmed.',
    'Confirm it.',
  ),
  configuration_unavailable: text(
    'configuration could not be read; check settings',
    'The settings cannot be read.',
    'Mend the settings file, then try again.',
  ),
  configuration_busy: text(
    'a configuration operation is running; retry after its response',
    'The service is busy with settings.',
    RETRY,
  ),
  catalog_refresh_failed: text(
    'catalog refresh failed; check provider readiness and retry',
    'The models could not be fetched.',
    'Check that the provider can be reached.',
  ),
  settings_write_failed: text(
    'settings could not be persisted; check settings and retry',
    'The settings could not be saved.',
    'Check the settings file and its rights.',
  ),
  invalid_scope: text(
    'scope is invalid or the setting requires global scope',
    'This setting cannot be saved in that scope.',
    'Save it globally.',
  ),
  invalid_selection: text(
    'provider or model is unknown, disabled, or invalid',
    'That provider or model is not available.',
    'Choose another.',
  ),
  unsupported_reasoning: text(
    'reasoning choice is unsupported for this model',
    'The model does not offer that thinking level.',
    'Choose another level.',
  ),
  catalog_unavailable: text(
    'model catalog is unavailable; refresh it before selecting',
    'The list of models is not loaded.',
    'Refresh it first.',
  ),
  catalog_stale: text(
    'model catalog is stale; refresh it before selecting',
    'The list of models is out of date.',
    'Refresh it first.',
  ),
  conflict: text(
    'resource revision conflicts with current state',
    'The resource was changed meanwhile.',
    'Read it again.',
  ),
  resource_not_found: text('resource is not registered', 'The resource is not there.', 'Register it first.'),
  internal_error: text(
    'application service failed to handle the request',
    'The service failed.',
    'Try again; the log of the service says more.',
  ),
} as const satisfies Record<string, ErrorText>;

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** The error object for the wire. */
export function errorOf(code: ErrorCode): { code: ErrorCode; message: string } {
  return { code, message: ERRORS[code].message };
}

/** Sentence and next step for people; an unknown code is a generic failure (PROTOCOL.md, "Evolution"). */
export function explain(code: string): { sentence: string; next: string } {
  return isErrorCode(code)
    ? { sentence: ERRORS[code].sentence, next: ERRORS[code].next }
    : {
        sentence: 'The service refused the request for a reason this version does not know.',
        next: 'Update magi-term.',
      };
}
