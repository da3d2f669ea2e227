/** What a session works with: chosen for it alone, told by its stream, never pretended (PROTOCOL.md, "Session profile"). */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { refusal } from '../../src/client/failure.ts';
import { levelsOf } from '../../src/store/catalog.ts';
import {
  choicesOf,
  inForce,
  NO_CHOICES,
  withEffective,
  withPending,
  withTold,
} from '../../src/store/session-choices.ts';
import type { Envelope } from '../../src/transcript/envelope.ts';
import type { ConfigureRequest, SessionConfiguration } from '../../src/wire/session-protocol.ts';
import { FakeService, replyLost, SESSION } from './fake-service.ts';
import { returnedText, runTurn, type Scene, scene, untilReady } from './scene.ts';

const M_TWO = { provider_id: 'demo', model_id: 'm-two' };

let serial = 0;
function told(change: Omit<Extract<Envelope['ev'], { t: 'agent-configuration-changed' }>, 't'>): Envelope {
  serial += 1;
  const ev = { t: 'agent-configuration-changed', ...change } as const;
  return { id: `e${serial}x`, time: serial, role: 'user', ev };
}

/** A service with the profile that keeps what it is asked for, as the embedded one does. */
function configurable(
  levels: readonly string[] = ['default', 'high'],
): Scene & { readonly asked: ConfigureRequest[] } {
  const service = new FakeService('instance-1');
  service.enveloped = true;
  const asked: ConfigureRequest[] = [];
  let now: SessionConfiguration = {
    permission_mode: 'default',
    selection: { provider_id: 'demo', model_id: 'demo-1' },
    thinking_level: 'default',
    sandbox: false,
    sandbox_kind: null,
  };
  service.handlers.set('session.configure', (payload) => {
    const change = payload as ConfigureRequest;
    asked.push(change);
    if (change.thinking_level !== undefined && !levels.includes(change.thinking_level))
      throw refusal({ code: 'unsupported_reasoning' });
    now = { ...now, ...(change as Partial<SessionConfiguration>) };
    return { effective: now };
  });
  return { ...scene(service), asked };
}

function force({ store }: Pick<Scene, 'store'>) {
  const state = store.getState();
  return inForce(state.choices, state.config, (selection) => levelsOf(state, selection));
}

const notice = ({ store }: Pick<Scene, 'store'>) => store.getState().notice?.text ?? '';

describe('before there is a session', () => {
  test('a choice is shown at once and reaches the service before the first message', async () => {
    const made = configurable();
    await untilReady(made);
    made.conversation.change({ permission_mode: 'plan' });
    made.conversation.change({ thinking_level: 'high' });
    expect(force(made)).toMatchObject({ permissionMode: 'plan' });
    expect(made.service.calls).not.toContain('session.create');
    await runTurn(made, 'Hello');
    expect(made.asked).toEqual([{ permission_mode: 'plan', thinking_level: 'high' }]);
    const { calls } = made.service;
    expect(calls.indexOf('session.configure')).toBeLessThan(calls.indexOf('turn.start'));
    expect(made.store.getState().choices.pending).toBeNull();
    expect(force(made)).toMatchObject({ permissionMode: 'plan', thinkingLevel: 'high', refusedLevel: null });
  });

  test('one that the service refuses brings the message back with the reason, once', async () => {
    const made = configurable();
    await untilReady(made);
    made.conversation.change({ thinking_level: 'max' });
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(returnedText(made)).toBe('Hello'));
    expect(notice(made)).toContain('does not offer that thinking level');
    expect(made.service.prompts).toEqual([]);
    await runTurn(made, 'Hello');
    expect(made.service.prompts).toEqual(['Hello']);
    expect(force(made).thinkingLevel).toBe('default');
  });

  test('another model begins with its own level', () => {
    const chosen = withPending(withPending(NO_CHOICES, { thinking_level: 'high' }), { selection: M_TWO });
    expect(chosen.pending).toEqual({ selection: M_TWO });
    expect(withPending(chosen, { thinking_level: 'low' }).pending).toEqual({
      selection: M_TWO,
      thinking_level: 'low',
    });
  });
});

test('another model takes the level away, and that is said', async () => {
  const made = configurable();
  await untilReady(made);
  made.conversation.change({ thinking_level: 'high' });
  made.conversation.change({ selection: M_TWO });
  expect(notice(made)).toBe('Thinking is “default” again: every model begins with it.');
  await runTurn(made, 'Hello');
  made.conversation.change({ thinking_level: 'high' });
  await vi.waitFor(() => expect(force(made).thinkingLevel).toBe('high'));
  made.conversation.change({ selection: { ...M_TWO, model_id: 'm-one' } });
  await vi.waitFor(() => expect(force(made).selection?.model_id).toBe('m-one'));
  expect(notice(made)).toBe(
    'Thinking is “default” again: every model begins with it. It holds from the next turn on.',
  );
});

describe('in a session', () => {
  test('a change is asked for and what the service says holds', async () => {
    const made = configurable();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.conversation.change({ selection: M_TWO });
    await vi.waitFor(() => expect(force(made).selection).toEqual(M_TWO));
    expect(notice(made)).toBe('It holds from the next turn on.');
  });

  test('a refusal changes nothing and says why', async () => {
    const made = configurable();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.conversation.change({ thinking_level: 'max' });
    await vi.waitFor(() => expect(notice(made)).toContain('Not changed.'));
    expect(force(made).thinkingLevel).toBe('default');
  });

  test('a reply that is lost is no success', async () => {
    const made = configurable();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.handlers.set('session.configure', () => {
      throw replyLost();
    });
    made.conversation.change({ permission_mode: 'plan' });
    await vi.waitFor(() => expect(notice(made)).toContain('not known yet'));
    expect(force(made).permissionMode).toBe('default');
  });

  test('one that another window controls is left alone', async () => {
    const made = configurable();
    made.service.handlers.set('session.claim', () => {
      throw refusal({ code: 'session_controlled' });
    });
    await untilReady(made);
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() => expect(made.store.getState().session?.control).toBe('other'));
    made.conversation.change({ permission_mode: 'plan' });
    expect(notice(made)).toContain('Another window controls this session');
    expect(made.asked).toEqual([]);
  });

  test('keeps its model and its level when somebody else opens it, whatever the settings say', async () => {
    const made = configurable();
    made.service.handlers.set('session.list', () => ({
      sessions: [
        {
          session_id: SESSION,
          title: 'Old',
          updated_at: '2026-11-30T12:00:00Z',
          ownership_hint: 'unowned',
          about: {
            holder: null,
            permission_mode: 'acceptEdits',
            selection: M_TWO,
            thinking_level: 'high',
            usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost: 0 },
          },
        },
      ],
      next_after: null,
      truncated: false,
      incomplete: false,
    }));
    await untilReady(made);
    made.conversation.listSessions();
    await vi.waitFor(() => expect(made.store.getState().sessions.rows.length).toBe(1));
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() => expect(made.store.getState().session?.control).toBe('mine'));
    expect(force(made)).toMatchObject({
      selection: M_TWO,
      thinkingLevel: 'high',
      permissionMode: 'acceptEdits',
    });
    expect(made.asked).toEqual([]);

    const ev = { t: 'agent-configuration-changed', permissionMode: 'plan' };
    made.service.tell({ id: 'later', time: 9, role: 'user', ev }, 'between');
    await vi.waitFor(() => expect(force(made).permissionMode).toBe('plan'));
    made.conversation.startNew();
    await vi.waitFor(() => expect(made.store.getState().session).toBeNull());
    expect(force(made)).toMatchObject({ permissionMode: 'default', thinkingLevel: 'default' });
  });
});

describe('a service without the profile', () => {
  test('takes model and level for the folder, and says so', async () => {
    const made = scene();
    const asked: unknown[] = [];
    made.service.handlers.set('config.set', (payload) => {
      asked.push(payload);
      const { config } = made.store.getState();
      return { persisted: true, scope: 'project', effective: { ...config, selection: M_TWO } };
    });
    await untilReady(made);
    made.conversation.change({ selection: M_TWO });
    await vi.waitFor(() => expect(force(made).selection).toEqual(M_TWO));
    expect(asked).toEqual([{ scope: 'project', selection: M_TWO }]);
    expect(notice(made)).toBe('Saved for this folder.');
  });

  test('has no permission modes', async () => {
    const made = scene();
    await untilReady(made);
    made.conversation.change({ permission_mode: 'plan' });
    await vi.waitFor(() => expect(notice(made)).toContain('no permission modes'));
    expect(made.service.calls).not.toContain('config.set');
  });
});

describe('what is in force', () => {
  const CONFIG = {
    selection: { provider_id: 'demo', model_id: 'm-one' },
    thinking_level: 'low',
    configured_thinking_level: 'low',
    available_thinking_levels: ['default', 'low'],
    fast: false,
    precedence: [],
    writable_scopes: [],
    global_only: [],
  } as const;
  const settings = {
    ...CONFIG,
    available_thinking_levels: [...CONFIG.available_thinking_levels],
    precedence: [],
    writable_scopes: [],
    global_only: [],
  };

  test('a level that the model lacks is not shown as if it held', () => {
    const chosen = withTold(NO_CHOICES, [told({ thinkingLevel: 'max' })]);
    expect(inForce(chosen, settings, () => ['default', 'low'])).toMatchObject({
      thinkingLevel: 'default',
      refusedLevel: 'max',
    });
    expect(inForce(chosen, settings, () => null)).toMatchObject({ thinkingLevel: 'max', refusedLevel: null });
  });

  test('what nobody chose follows the settings, what was chosen does not', () => {
    const all = () => ['default', 'low', 'high'];
    expect(inForce(NO_CHOICES, settings, all)).toMatchObject({
      selection: settings.selection,
      thinkingLevel: 'low',
    });
    const about = {
      holder: null,
      permission_mode: 'plan',
      selection: M_TWO,
      thinking_level: 'high',
    } as const;
    const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost: 0 };
    expect(inForce(choicesOf({ ...about, usage }), settings, all)).toMatchObject({
      selection: M_TWO,
      thinkingLevel: 'high',
      permissionMode: 'plan',
    });
  });

  test('the last word counts, in whatever pieces the stream was read', () => {
    const changes = fc.record(
      {
        permissionMode: fc.constantFrom('default', 'plan', 'acceptEdits', 'bypassPermissions'),
        thinkingLevel: fc.constantFrom('low', 'high'),
        sandbox: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(changes), fc.nat(), (all, cut) => {
        const envelopes = all.map((change) => told(change as Parameters<typeof told>[0]));
        const at = envelopes.length === 0 ? 0 : cut % envelopes.length;
        const whole = withTold(NO_CHOICES, envelopes);
        expect(withTold(withTold(NO_CHOICES, envelopes.slice(0, at)), envelopes.slice(at))).toEqual(whole);
        // A list that knows the whole stream, and then its newest part again.
        expect(withTold(whole, envelopes.slice(at))).toEqual(whole);
        const last = all.findLast(({ permissionMode }) => permissionMode !== undefined);
        expect(whole.permissionMode).toBe(last?.permissionMode ?? 'default');
      }),
    );
  });

  test('something else that is told later outweighs what the service said holds', () => {
    const effective: SessionConfiguration = {
      permission_mode: 'plan',
      selection: M_TWO,
      thinking_level: 'default',
      sandbox: false,
      sandbox_kind: null,
    };
    const asked = withTold(NO_CHOICES, [told({ thinkingLevel: 'max' })]);
    const held = withEffective(asked, { selection: M_TWO, thinking_level: 'max' }, effective);
    expect(inForce(held, null, () => null)).toMatchObject({ thinkingLevel: 'default', refusedLevel: 'max' });
    const later = withTold(held, [told({ thinkingLevel: 'high' })]);
    expect(inForce(later, null, () => null)).toMatchObject({ thinkingLevel: 'high', refusedLevel: null });
  });
});
