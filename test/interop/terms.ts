/** What the launcher and the tests agree on. */

/** Package version: of the daemon, and therefore of the client's hello. */
export const DAEMON_VERSION = '0.80.2';
/** Names the executable for the tests. */
export const PROGRAM_VARIABLE = 'MAGI_TERM_INTEROP_PROGRAM';
