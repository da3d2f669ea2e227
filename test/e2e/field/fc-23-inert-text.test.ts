/** Text cannot drive the terminal. The sanitiser has its own tests in test/render/sanitise.test.ts; what the program may write is in test/support/own-bytes.ts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';
import { type Answer, ended, listed, message, STAGED_SESSION } from '../../support/staged-service.ts';
import type { JsonObject } from '../../support/traces.ts';

const stage = new FieldStage();

const SEQUENCES = [
  '\u001b]0;owned\u0007',
  '\u001b]2;owned\u001b\\',
  '\u001b]8;;http://evil.test\u001b\\click\u001b]8;;\u001b\\',
  '\u001b]52;c;b3duZWQ=\u0007',
  '\u001b[2J\u001b[3J',
  '\u001b[5A\u001b[2K',
  '\u001b[?1049h',
  '\u001bP1$tx\u001b\\',
  '\u009b2J',
  '\u0007',
  '\b',
  '\r',
  '\u202e',
  '\u200b',
];
const LINES = SEQUENCES.map((sequence, index) => `mark${index}x${sequence}end${index}x`);
const LINE = LINES.join(' ');
const SIZE = { cols: 100, rows: 50 };

const programs: PtyProgram[] = [];
function watched(program: PtyProgram): PtyProgram {
  programs.push(program);
  return program;
}

afterEach(() => {
  for (const { screen } of programs.splice(0)) {
    expect(screen.clipboard()).toBeNull();
    expect(screen.title()).not.toContain('owned');
  }
});

/** Every mark is shown, so nothing was cut away with what stands between, and no picture of it moved the rows above. */
function expectAll(program: PtyProgram, lines = LINES): void {
  const text = program.screen.text();
  for (const [index] of lines.entries()) expect(text).toContain(`mark${index}x`);
  expect(program.screen.rows()[0]).not.toBe('');
  expect(program.isAlternate()).toBe(true);
}

describe('FC-23 text cannot drive the terminal', FIELD_TIMEOUT, () => {
  it.each([
    ['whole', LINES.map((line) => ({ text: `${line}\n\n` }))],
    [
      'cut between any two deltas',
      LINES.flatMap((line) => [...`${line}\n\n`].map((letter) => ({ text: letter }))),
    ],
  ])('an answer and thoughts, %s', async (_name, steps) => {
    const { user } = await stage.answered(() => [...steps.map(({ text }) => ({ thinking: text })), ...steps]);
    const program = watched(await stage.ready(user, SIZE));
    const header = program.screen.rows()[0];
    await say(program, 'attack');
    await program.waitFor('end13x', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    expectAll(program);
    expect(program.screen.rows()[0]?.slice(-20)).toBe(header?.slice(-20));
    expect(program.screen.text()).toMatch(/you {3}attack/);
    // Thoughts unfold.
    program.write('\u001bi');
    await program.waitForQuiet(300);
    expect(program.isAlternate()).toBe(true);
  });

  it('the name, the output and the card of a tool', async () => {
    const { user } = await stage.answered(({ toolResults }) => {
      if (toolResults.length === 0) return [{ toolCall: `tool${LINE}`, args: { path: LINE } }];
      if (toolResults.length === 1) return [{ toolCall: 'read', args: { path: 'attack.txt' } }];
      return [{ text: 'That was it.' }];
    });
    writeFileSync(join(user.workspace, 'attack.txt'), LINES.join('\n'));
    const program = watched(await stage.ready(user, SIZE));
    await say(program, 'use tools');
    await program.waitFor('That was it.', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    // Cards unfold.
    program.write('\u001bo');
    await program.waitForQuiet(300);
    expect(program.screen.text()).toContain('mark0x');
  });

  it('a command for approval shows what is hidden in it as marks', async () => {
    const { user } = await stage.answered(({ toolResults }) =>
      toolResults.length === 0
        ? [{ toolCall: 'bash', args: { command: `echo ${LINE}` } }]
        : [{ text: 'Not run.' }],
    );
    const program = watched(await stage.ready(user, SIZE));
    await say(program, 'run it');
    await program.waitFor('asks for permission', PATIENCE);
    const shown = program.screen.rows().join('').replaceAll(/\s/g, '');
    for (const mark of ['⟨U+001B⟩', '⟨U+009B⟩', '⟨U+0007⟩', '⟨U+0008⟩', '⟨U+202E⟩', '⟨U+200B⟩'])
      expect(shown).toContain(mark);
    program.press('f8');
    await program.waitFor('Not run.', PATIENCE);
  });

  it('names of files', async () => {
    const { user } = await stage.answered(({ toolResults }) =>
      toolResults.length === 0 ? [{ toolCall: 'list', args: {} }] : [{ text: 'That was it.' }],
    );
    for (const [index, sequence] of SEQUENCES.entries())
      writeFileSync(join(user.workspace, `mark${index}x${sequence.replaceAll('/', '')}.txt`), '');
    const program = watched(await stage.ready(user, SIZE));
    await program.type('@mark');
    await program.waitFor('@mark', PATIENCE);
    await program.waitForQuiet(500);
    program.press('down');
    program.press('tab');
    await program.waitForQuiet(200);
    program.press('ctrl+c');
    await program.waitForQuiet(200);
    await say(program, 'list');
    await program.waitFor('That was it.', PATIENCE);
    program.write('\u001bo');
    await program.waitForQuiet(300);
  });

  it('reasons of failures, titles of sessions, what was said before', async () => {
    const { user, service, joining } = await stage.staged({
      past: [message('user', LINE), message('assistant', LINES.join('\n\n')), ended()],
      answers: {
        'session.list': (request, peer) => {
          peer.answer(request, listed(LINE));
          return 'answered';
        },
      },
    });
    const args = [...joining, '--session', STAGED_SESSION];
    const program = watched(await stage.ready(user, { ...SIZE, args }));
    await program.waitFor('mark13x', PATIENCE);
    expectAll(program);
    program.press('f2');
    await program.waitFor('Sessions', PATIENCE);
    await program.waitFor(/› mark0x/, PATIENCE);
    program.press('escape');
    await program.waitFor('ready', PATIENCE);
    await say(program, 'go');
    await program.waitFor('working', PATIENCE);
    service.activity({
      activity_id: 'a1',
      kind: 'tool',
      tool_id: 't1',
      tool_name: LINE,
      server_id: null,
      transport: 'local',
      status: 'failed',
      timed_out: null,
      details_omitted: true,
      notice: LINE.slice(0, 300),
    });
    service.activity({
      activity_id: 'a2',
      kind: 'reasoning_summary',
      text: LINE,
      redacted: false,
      truncated: false,
    });
    service.finish({ code: 'provider_failed', message: LINE.slice(0, 300) }, { notice: LINE.slice(0, 300) });
    await program.waitFor('failed', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    // The message of before, in the draft.
    program.press('up');
    program.press('up');
    await program.waitForQuiet(300);
  });

  it('labels of models and providers', async () => {
    const label = LINE.slice(0, 90);
    const says =
      (payload: () => JsonObject): Answer =>
      (request, peer) => {
        peer.answer(request, payload());
        return 'answered';
      };
    const who = {
      provider_id: 'local-llm',
      auth_method: 'none',
      source: 'none',
      readiness: 'ready',
      ready: true,
    };
    const model = {
      provider_id: 'local-llm',
      model_id: 'm-1',
      label,
      available: true,
      context_window: null,
      max_output_tokens: null,
      available_thinking_levels: ['default'],
    };
    const page = { next_offset: null, refresh: 'cache_only' };
    const { user, service, joining } = await stage.staged({
      answers: {
        status: says(() => ({ ...service.status(), provider_auth_ready: false })),
        'auth.status': says(() => ({ providers: [who] })),
        'catalog.providers': says(() => ({ ...page, entries: [{ provider_id: 'local-llm', label }] })),
        'catalog.models': says(() => ({ ...page, state: 'fresh_cache', entries: [model] })),
      },
    });
    const program = watched(stage.start(user, { ...SIZE, args: joining }));
    await program.waitFor('Who should answer?', PATIENCE);
    await program.waitFor('mark0x', PATIENCE);
    expect(program.isAlternate()).toBe(true);
  });

  it('what is copied on request is as it was written', async () => {
    const raw = `Raw: ${LINES.join('\n')}`;
    const { user } = await stage.answered(() => [{ text: raw }]);
    const program = await stage.ready(user, { ...SIZE, extras: ['clipboard'] });
    await say(program, 'attack');
    await program.waitFor('end13x', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    program.press('alt+c');
    await program.waitFor(() => program.screen.clipboard() !== null, PATIENCE);
    expect(program.screen.clipboard()).toBe(raw);
    expect(program.screen.title()).not.toContain('owned');
  });
});
