/** A service of either kind for one case of the table of sign-ins; it ends with the case. */
import { createServer } from 'node:http';
import { openAbyss } from '../conformance/abyss.ts';
import { type AuthWorld, CODEX, startAuthWorld } from '../service/auth/auth-world.ts';
import { VERSION } from '../service/harness.ts';
import { ManualClock } from '../service/manual-clock.ts';
import { Daemon, Home, removeEndpoint } from './daemon.ts';
import { Act, type Outcome } from './login-act.ts';

/** How the world is when the service starts. */
export interface Around {
  readonly portTaken?: boolean;
  /** Whether the issuer never answers; otherwise there is none for what should not need one. */
  readonly issuer?: 'away' | 'silent';
}

/** Nobody listens there. */
const AWAY = 'http://127.0.0.1:1/oauth/token';
/** magi-code has no other. */
const VENDORS_PORT = 1455;

/** With an issuer, a clock and a store that do what the case says. */
export class OwnAct extends Act {
  readonly world: AuthWorld;
  readonly clock: ManualClock;

  constructor(world: AuthWorld, clock: ManualClock) {
    const identity = { workspace: world.workspace, stateRoot: world.stateRoot };
    super({ directory: '', socket: world.service.socket, identity, version: VERSION });
    this.world = world;
    this.clock = clock;
  }

  /** The address of the browser after the person has agreed. */
  async agree(): Promise<string> {
    return this.world.issuer.agree(await this.url());
  }
}

/** Plays a case against the embedded service. What it came to. */
export async function playEmbedded(around: Around, play: (act: OwnAct) => Promise<void>): Promise<Outcome> {
  const blocker = around.portTaken === true ? await takePort(0) : null;
  const clock = new ManualClock();
  const env = {
    ...(around.issuer === 'away' ? { MAGI_TERM_OAUTH_TOKEN_ENDPOINT: AWAY } : {}),
    ...(blocker === null ? {} : { MAGI_TERM_OAUTH_CALLBACK_PORT: String(blocker.port) }),
  };
  const world = await startAuthWorld({
    clock,
    env: { MAGI_TERM_PROVIDER: CODEX, MAGI_TERM_MODEL: 'm-1', ...env },
  });
  if (around.issuer === 'silent') world.issuer.token = 'silent';
  try {
    return await played(new OwnAct(world, clock), play);
  } finally {
    await world.close();
    await blocker?.close();
  }
}

/** Plays a case against magi-code, whose vendor is out of reach. What it came to. */
export async function playMagiCode(around: Around, play: (act: Act) => Promise<void>): Promise<Outcome> {
  const blocker = around.portTaken === true ? await takePort(VENDORS_PORT) : null;
  const abyss = around.issuer === 'silent' ? await openAbyss() : null;
  const home = new Home({ schema_version: 2 });
  if (abyss !== null) home.proxy = abyss.url;
  const daemon = new Daemon(home, home.identity);
  try {
    await daemon.ready();
    return await played(new Act(daemon.endpoint), play);
  } finally {
    await daemon.kill();
    removeEndpoint(daemon.endpoint);
    home.remove();
    await abyss?.close();
    await blocker?.close();
  }
}

async function played<A extends Act>(act: A, play: (act: A) => Promise<void>): Promise<Outcome> {
  try {
    await play(act);
    return await act.outcome();
  } finally {
    await act.close();
  }
}

/** Has a port as another program would have it; whoever has it already will do as well. */
async function takePort(port: number): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((_, response) => response.end());
  const isOurs = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => new Promise((resolve) => (isOurs ? server.close(() => resolve()) : resolve())),
  };
}
