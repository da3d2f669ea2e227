import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];

/** The chat of a fresh home, ready for keys; `said` is what the model was told, in order. */
async function chat(
  options: Parameters<AppHome['start']>[0] = {},
): Promise<{ program: PtyProgram; said: string[]; user: AppHome }> {
  const said: string[] = [];
  const server = await startModelServer({
    script: ({ lastUser }) => {
      said.push(lastUser);
      return [{ text: `Heard ${lastUser.length}.` }];
    },
  });
  const user = new AppHome({ settings: answeredBy(server.url) });
  open.push(async () => {
    await user.dispose();
    await server.close();
  });
  const program = user.start(options);
  await program.waitFor('ready');
  return { program, said, user };
}

/** Everything that is kept on disk for drafts. */
function keptDrafts(user: AppHome): string {
  const folder = join(user.state, 'drafts');
  const names = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.json'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

it('a key that is pressed as soon as anything is drawn counts', async () => {
  const user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  open.push(() => user.dispose());
  for (let round = 0; round < 3; round += 1) {
    let seen = '';
    const program: PtyProgram = user.start({
      onOutput: (bytes) => {
        const before = seen;
        seen += bytes.toString('latin1');
        if (seen.includes('Write a message') && !before.includes('Write a message')) program.press('ctrl+d');
      },
    });
    expect(await program.exit).toMatchObject({ code: 0 });
  }
});

describe('typing', () => {
  it('keeps a message that is too long, and says so', async () => {
    const { program, said } = await chat({ cols: 80, rows: 24 });
    program.paste('long '.repeat(4000));
    await program.waitFor('[pasted 20,000 bytes]');
    program.press('enter');
    await program.waitFor('The message has 20,000 bytes');
    expect(program.screen.text()).toContain('[pasted 20,000 bytes]');
    expect(said).toEqual([]);
  });

  it('survives a kill: the draft is there at the next start', async () => {
    const { program, user } = await chat();
    await program.type('half a thought');
    await vi.waitFor(() => expect(keptDrafts(user)).toContain('half a thought'));
    program.kill('SIGKILL');
    await program.exit;
    const again = user.start();
    await again.waitFor('› half a thought');
  });
});
