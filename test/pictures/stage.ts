/** A home for pictures: time stands still until it is told to go on, and what the model does is a script with gates. */
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SessionFolder } from '../../src/service/sessions/session-folder.ts';
import { SessionWriter } from '../../src/service/sessions/session-writer.ts';
import { AppHome } from '../support/app.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server.ts';

/** 14:02 of a day in spring, in the time zone of the pictures; Unix time, ms. */
const BEGUN = Date.UTC(2026, 3, 14, 14, 2, 0);
const MODEL = 'coder-1';
const CLOCK = pathToFileURL(join(import.meta.dirname, 'clock.mjs')).href;

/** A command that a script of the model runs: it prints its text and ends when its gate opens. */
export interface GatedCommand {
  readonly name: string;
  readonly prints: string;
  readonly code: number;
}

export interface PictureHomeOptions {
  /** Null for a start without anybody who answers. */
  readonly script: ModelScript | null;
  /** By path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly commands?: readonly GatedCommand[];
  /** The rule of the folder that lets a command run. */
  readonly rule?: string;
}

export class PictureHome {
  readonly user: AppHome;
  readonly #server: ModelServer | null;
  readonly #clock: string;
  #now = BEGUN;

  private constructor(user: AppHome, server: ModelServer | null, clock: string) {
    this.user = user;
    this.#server = server;
    this.#clock = clock;
  }

  static async make({ commands = [], files = {}, rule, script }: PictureHomeOptions): Promise<PictureHome> {
    const server =
      script === null ? null : await startModelServer({ script, models: [MODEL], contextLength: 32_000 });
    const user = new AppHome();
    const tools = join(user.root, 'tools');
    mkdirSync(tools);
    const clock = join(user.root, 'clock');
    const home = new PictureHome(user, server, clock);
    home.forward(0);
    for (const command of commands) gate(tools, command);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(user.workspace, path, '..'), { recursive: true });
      writeFileSync(join(user.workspace, path), text);
    }
    if (server !== null) writeFileSync(user.settingsFile, JSON.stringify(settings(server.url, user, rule)));
    return home;
  }

  /** What the program is started with. */
  get env(): Readonly<Record<string, string>> {
    return {
      TZ: 'UTC',
      NODE_OPTIONS: `--import ${CLOCK}`,
      PICTURE_CLOCK: this.#clock,
      PATH: `${join(this.user.root, 'tools')}:${process.env.PATH ?? ''}`,
    };
  }

  /** Time goes on. */
  forward(ms: number): void {
    this.#now += ms;
    writeFileSync(this.#clock, String(this.#now));
  }

  /** The next run of a gated command ends. */
  open(name: string): void {
    writeFileSync(join(this.user.root, 'tools', `${name}.open`), '');
  }

  /** A past session. @param hoursAgo when it was said */
  keep(title: string, answer: string, hoursAgo: number): void {
    const id = `past-${hoursAgo}`;
    const at = BEGUN - hoursAgo * 3_600_000;
    const folder = new SessionFolder(this.user.state);
    folder.create(id, this.user.workspace, at);
    const path = folder.path(id);
    const writer = SessionWriter.open(path, id, at);
    if (writer === null) throw new Error('the session cannot be written');
    const head = { time: at, turn: 't1' };
    writer.append({ ...head, id: 'u1', role: 'user', ev: { t: 'text', text: title } });
    writer.append({ ...head, id: 'b1', role: 'agent', ev: { t: 'turn-start' } });
    writer.append({ ...head, id: 'a1', role: 'agent', ev: { t: 'text', text: answer } });
    writer.append({ ...head, id: 'e1', role: 'agent', ev: { t: 'turn-end', status: 'completed' } });
    writer.close();
    utimesSync(path, at / 1_000, at / 1_000);
  }

  async dispose(): Promise<void> {
    await this.user.dispose();
    await this.#server?.close();
  }
}

function settings(url: string, { workspace }: AppHome, rule?: string): unknown {
  return {
    provider: 'local',
    model: MODEL,
    providers: { local: { label: 'Local server', baseUrl: `${url}/v1`, api: 'openai-completions' } },
    workspaces: { [workspace]: { permissions: { allow: rule === undefined ? [] : [rule] } } },
  };
}

/** Waits for its gate, and closes it behind itself. */
function gate(folder: string, { code, name, prints }: GatedCommand): void {
  const open = join(folder, `${name}.open`);
  const text = join(folder, `${name}.txt`);
  writeFileSync(text, prints);
  const script = `#!/bin/sh\nwhile [ ! -e '${open}' ]; do sleep 0.05; done\nrm '${open}'\ncat '${text}'\nexit ${code}\n`;
  const path = join(folder, name);
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}
