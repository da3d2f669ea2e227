/** Settings and models by command: the file of this program, and what other services tell and take. */
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ScriptedPeer } from '../support/scripted-service.ts';
import { type Answer, StagedService } from '../support/staged-service.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';

let user: AppHome;
beforeEach(() => {
  user = new AppHome({ env: { MAGI_TERM_PROVIDER: '', MAGI_TERM_MODEL: '' } });
});
afterEach(() => user.dispose());

const config = (...args: readonly string[]) => user.command(['config', ...args]);
const saved = (): unknown => JSON.parse(readFileSync(user.settingsFile, 'utf8'));

describe('the settings file', () => {
  it('is written one setting at a time, and what people should know is on stderr', async () => {
    expect(await config('path')).toEqual({ code: 0, stdout: `${user.settingsFile}\n`, stderr: '' });
    writeFileSync(user.settingsFile, JSON.stringify({ provider: 'demo', thinkingLevel: 'high' }));
    expect(await config('set', 'model', 'demo-1')).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(
        /^thinkingLevel was high and is default again.*\nSaved for every folder\. It holds from the next turn on;.*\n$/,
      ),
    });
    await config('set', 'model', 'demo-2', '--project');
    await config('set', 'allow.bash', 'true');
    await config('set', 'ui.keys.chat.help', 'f1 ctrl+x');
    expect(await config('set', 'ui.screenReader', 'false')).toMatchObject({
      stderr: 'Saved for every folder. It holds from the next start of magi-term.\n',
    });
    expect(saved()).toEqual({
      provider: 'demo',
      model: 'demo-1',
      thinkingLevel: 'default',
      ui: { screenReader: false, keys: { 'chat.help': ['f1', 'ctrl+x'] } },
      workspaces: { [user.workspace]: { model: 'demo-2', allow: { bash: true } } },
    });
  });

  it('is read and cleared for the folder or for all', async () => {
    expect(await config('get')).toEqual({ code: 0, stdout: '', stderr: 'Nothing is saved.\n' });
    expect(await config('get', 'model', '--json')).toEqual({
      code: 0,
      stdout: 'null\n',
      stderr: 'model is not saved.\n',
    });
    const folder = { model: 'demo-2', allow: { bash: true } };
    const ui = { keys: { 'chat.help': ['f1', 'ctrl+x'] } };
    const all = { provider: 'demo', model: 'demo-1', ui, workspaces: { [user.workspace]: folder } };
    writeFileSync(user.settingsFile, JSON.stringify(all));
    expect(await config('get')).toEqual({
      code: 0,
      stdout: 'provider = demo\nmodel = demo-2\nallow.bash = true\nui.keys.chat.help = f1 ctrl+x\n',
      stderr: '',
    });
    expect(JSON.parse((await config('get', '--json', '--project')).stdout)).toEqual({
      model: 'demo-2',
      'allow.bash': true,
    });
    expect(await config('unset', 'model', 'provider')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^model is not saved for every folder any more.*\nprovider is not saved/),
    });
    expect(await config('unset', 'model')).toMatchObject({
      code: 0,
      stderr: 'model is not saved for every folder, but for this folder: --project takes it away there.\n',
    });
    expect(await config('unset', 'model', 'allow.bash', '--project')).toMatchObject({ code: 0 });
    expect(saved()).toEqual({ ui });
  });

  it('is not what runs where the environment decides', async () => {
    writeFileSync(user.settingsFile, JSON.stringify({ provider: 'demo', model: 'demo-1' }));
    const env = { MAGI_TERM_MODEL: 'demo-9' };
    expect(await user.command(['config', 'get', 'model'], env)).toEqual({
      code: 0,
      stdout: 'demo-1\n',
      stderr: 'model: MAGI_TERM_MODEL decides instead, for services that start from this shell: demo-9.\n',
    });
    expect(await user.command(['config', 'set', 'model', 'demo-2'], env)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^Saved for every folder\. MAGI_TERM_MODEL decides instead,.*: demo-9\.\n.* not in the list.*\n$/,
      ),
    });
    expect(await user.command(['config', 'get', 'provider'], env)).toMatchObject({
      stdout: 'demo\n',
      stderr: '',
    });
  });

  it('that is broken, or says what counts for nothing, is told', async () => {
    writeFileSync(user.settingsFile, '{"provider": oops}');
    for (const args of [['get'], ['set', 'model', 'x'], ['unset', 'model']])
      expect(await config(...args)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/settings\.json:1:14: not valid JSON\. Mend the file/),
      });
    expect(readFileSync(user.settingsFile, 'utf8')).toBe('{"provider": oops}');
    writeFileSync(
      user.settingsFile,
      JSON.stringify({ thinkingLevel: 'ultra', ui: { keys: { 'chat.help': 'boo' } } }),
    );
    const { stderr } = await config('get');
    expect(stderr).toContain('thinkingLevel: "ultra" counts for nothing: use one of default, low');
    expect(stderr).toContain('ui.keys.chat.help: chat.help: "boo" is not a key.');
  });

  it('is not touched by what is wrong', async () => {
    for (const [args, reason] of WRONG)
      expect(await config(...args), args.join(' ')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(reason),
      });
    expect(existsSync(user.settingsFile)).toBe(false);
  });

  it('has a schema that is JSON, and help that is aligned', async () => {
    const schema = await config('schema');
    expect(schema).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(schema.stdout)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' });
    const { stdout } = await config('set', '--help');
    expect(stdout).toMatch(/--provider <id>[\s\S]*Settings:\n {2}provider, model/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('takes PROVIDER/MODEL, and asks nobody for a model without a slash', async () => {
    const providers = { 'my-server': { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions' } };
    writeFileSync(user.settingsFile, JSON.stringify({ providers }));
    await config('set', 'model', 'whatever');
    await config('set', 'model', 'org/whatever', '--provider', 'my-server');
    expect(saved()).toEqual({ providers, provider: 'my-server', model: 'org/whatever' });
    expect(await user.command(['daemon', 'status'])).toMatchObject({ code: 1 });
    expect(await config('set', 'model', 'demo/demo-1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('magi-term config set model demo-1 --provider demo'),
    });
    await config('set', 'provider', 'demo');
    expect(await config('set', 'model', 'demo/demo-1', '--project')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Read as the model demo-1 of demo.'),
    });
    const folder = { [user.workspace]: { provider: 'demo', model: 'demo-1' } };
    expect(saved()).toEqual({ providers, provider: 'demo', workspaces: folder });
  });

  it('needs a folder that can be made', async () => {
    const nowhere = { MAGI_TERM_HOME: '/proc/x' };
    expect(await user.command(['config', 'set', 'fast', 'true'], nowhere)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/The state folder \/proc\/x cannot be created: .* Set MAGI_TERM_HOME or/),
    });
  });

  it('is not replaced when it is read-only', async () => {
    writeFileSync(user.settingsFile, '{}', { mode: 0o400 });
    for (const args of [
      ['set', 'fast', 'true'],
      ['set', 'provider', 'demo'],
    ])
      expect(await config(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /settings\.json: the file is read only\. Nothing was saved\..*chmod u\+w/,
        ),
      });
    expect([saved(), statSync(user.settingsFile).mode & 0o777]).toEqual([{}, 0o400]);
  });

  it('takes no provider that does not exist, and starts no service to know that', async () => {
    const before = { provider: 'demo', model: 'demo-1', providers: { box: BOX } };
    writeFileSync(user.settingsFile, JSON.stringify(before));
    const refusal = {
      code: 2,
      stderr:
        'magi-term: There is no provider nobody; there are: anthropic, box, demo, llama.cpp, lm-studio, ollama, openai, openai-codex, vllm.\n',
    };
    expect(await config('set', 'provider', 'nobody')).toMatchObject(refusal);
    expect(await config('set', 'model', 'x', '--provider', 'nobody')).toMatchObject(refusal);
    expect(saved()).toEqual(before);
    for (const name of ['box', 'ollama', 'anthropic'])
      expect(await config('set', 'provider', name), name).toMatchObject({ code: 0 });
    expect(await config('set', 'provider', 'ChatGPT')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Read as openai-codex\.\nSaved for every folder\./),
    });
    expect(saved()).toEqual({ provider: 'openai-codex', providers: { box: BOX } });
    expect(await user.command(['daemon', 'status'])).toMatchObject({ code: 1 });
  });

  it('says of the fast mode whose it is, and where nobody has it', async () => {
    const general =
      'Saved for every folder. It holds from the next turn on. ChatGPT and OpenAI have it, at a higher price; others answer as before.\n';
    const none = `${general}demo answers, and has no fast mode: it answers as before.\n`;
    expect(await config('set', 'fast', 'true')).toEqual({ code: 0, stdout: '', stderr: general });
    writeFileSync(user.settingsFile, JSON.stringify({ provider: 'demo' }));
    expect(await config('set', 'fast', 'true')).toEqual({ code: 0, stdout: '', stderr: none });
    expect(await config('set', 'fast', 'false')).toMatchObject({ stderr: general });
    for (const provider of ['openai', 'openai-codex']) {
      writeFileSync(user.settingsFile, JSON.stringify({ provider }));
      expect(await config('set', 'fast', 'true')).toMatchObject({ stderr: general });
    }
    const elsewhere = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', MAGI_TERM_PROVIDER: 'openai' };
    expect(await user.command(['config', 'set', 'fast', 'true'], elsewhere)).toMatchObject({
      stderr: expect.stringContaining('openai answers, and has no fast mode'),
    });
  });

  it('takes a model that no list has, and says so where there is a list', async () => {
    const server = await startModelServer({ script: () => [], models: ['m1', 'm2'] });
    try {
      const providers = { box: { ...BOX, baseUrl: `${server.url}/v1` } };
      writeFileSync(user.settingsFile, JSON.stringify({ provider: 'box', providers }));
      const told = async (model: string, ...more: readonly string[]): Promise<string> => {
        const { code, stderr } = await config('set', 'model', model, ...more);
        expect(code).toBe(0);
        expect(saved()).toMatchObject({ model });
        return /^.* is not in the list of .*$/m.exec(stderr)?.[0] ?? '';
      };
      const words = (list: string): string =>
        `m3 is not in the list of ${list}, and is saved all the same. magi-term models shows what is.`;
      expect(await told('m3')).toBe('');
      expect(await told('demo-1', '--provider', 'demo')).toBe('');
      expect(await told('m3', '--provider', 'demo')).toBe(words('demo (1 model)'));
      expect(await user.command(['daemon', 'status'])).toMatchObject({ code: 1 });
      await user.command(['models', '--refresh']);
      expect(await told('m3', '--provider', 'box')).toBe(words('box (2 models)'));
      expect(await told('m3')).toBe(words('box (2 models)'));
      expect(await told('m2')).toBe('');
    } finally {
      await server.close();
    }
  });
});

const BOX = { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions' };

const WRONG: readonly (readonly [args: readonly string[], reason: string])[] = [
  [['set', 'colour', 'blue'], 'unknown setting "colour"'],
  [['set', 'provider'], "missing required argument 'value'"],
  [['set', 'provider', ''], 'letters, digits'],
  [['set', 'ui.theme', 'dark', '--project'], 'Leave --project out'],
  [['set', 'model', 'x', '--global', '--project'], 'cannot be used with'],
  [['set', 'ui.theme', 'dark', '--provider', 'x'], 'goes with config set model only'],
  [['set', 'model', 'x', '--provider', 'a b'], 'no value for provider'],
  [['set', 'ui.keys.chat.help', 'ctrl+c'], 'wanted by chat.interrupt'],
  [['unset', 'provider', 'colour'], 'unknown setting "colour"'],
];

it.each([
  [['confg', 'set'], "error: unknown command 'confg'\n(Did you mean config?)\nSee magi-term --help.\n"],
  [['rules', 'remve'], "error: unknown command 'remve'\n(Did you mean remove?)\nSee magi-term --help.\n"],
  [['config', 'gett'], "error: unknown command 'gett'\n(Did you mean get?)\nSee magi-term --help.\n"],
  [['hello there'], "error: unknown command 'hello there'\nSee magi-term --help.\n"],
  [['models', 'x'], /^error: too many arguments for 'models'/],
  [['rules', 'remove', 'x', 'y'], /^error: too many arguments for 'remove'/],
])('%j is no command', async (args, words) => {
  const stderr = typeof words === 'string' ? words : expect.stringMatching(words);
  expect(await user.command(args)).toEqual({ code: 2, stdout: '', stderr });
});

describe('another service', () => {
  /** What it has; the folder's own model counts before what is saved for all. */
  const effective = {
    selection: { provider_id: 'house', model_id: 'small' },
    thinking_level: 'default',
    configured_thinking_level: 'high',
    available_thinking_levels: ['default', 'low'],
    fast: false,
    precedence: ['environment', 'project', 'global'],
    writable_scopes: ['global', 'project'],
    global_only: ['fast'],
  };
  const models: Readonly<Record<string, readonly string[]>> = {
    broken: [],
    house: ['small', 'house/odd'],
    other: Array.from({ length: 40 }, (_, index) => `m${index}`),
  };
  let service: StagedService | null = null;
  afterEach(async () => {
    expect(service?.errors ?? []).toEqual([]);
    await service?.stop();
    service = null;
  });

  const answered =
    (answer: (payload: JsonObject) => JsonObject | string): Answer =>
    (request, peer: ScriptedPeer) => {
      const payload = answer(objectOf(request.payload));
      if (typeof payload === 'string') peer.refuse(request, payload);
      else peer.answer(request, payload);
      return 'answered';
    };

  /** Two providers, or entries, on a page. */
  function page<T>(all: readonly T[], { offset }: JsonObject): { entries: T[]; next_offset: number | null } {
    const from = Number(offset ?? 0);
    return { entries: all.slice(from, from + 2), next_offset: from + 2 < all.length ? from + 2 : null };
  }

  async function asked(args: readonly string[], answers: Readonly<Record<string, Answer>> = {}) {
    const identity = { workspace: realpathSync(user.workspace), stateRoot: realpathSync(user.state) };
    service ??= await StagedService.start({
      identity,
      answers: {
        'config.get': answered(() => effective),
        'config.set': answered(({ scope }) => ({ persisted: true, scope: String(scope), effective })),
        'catalog.providers': answered((payload) => ({
          ...page(
            Object.keys(models).map((id) => ({ provider_id: id, label: id })),
            payload,
          ),
          refresh: 'cache_only',
        })),
        'catalog.refresh': answered(({ provider_id: id }) =>
          id === 'broken'
            ? 'catalog_refresh_failed'
            : { provider_id: String(id), state: id === 'other' ? 'stale' : 'fresh_cache' },
        ),
        'catalog.models': answered((payload) => {
          const id = String(payload.provider_id);
          if (id === 'broken') return 'internal_error';
          const entries = (models[id] ?? []).map((model) => ({
            provider_id: id,
            model_id: model,
            label: model,
            available: id === 'house',
            context_window: null,
            max_output_tokens: null,
            available_thinking_levels: ['default', 'low'],
          }));
          return {
            ...page(entries, payload),
            state: id === 'other' ? 'stale' : 'fresh_cache',
            refresh: 'cache_only',
          };
        }),
        ...answers,
      },
    });
    return user.command([...args, '--socket', service.socket]);
  }

  const changes = (): readonly unknown[] =>
    (service?.asked('config.set') ?? []).map(({ payload }) => payload);

  it('tells what counts there', async () => {
    expect(await asked(['config', 'get'])).toEqual({
      code: 0,
      stdout: 'provider = house\nmodel = small\nthinkingLevel = default\nfast = false\n',
      stderr: 'thinkingLevel: high is saved, and the model does not offer it: it thinks at default.\n',
    });
    expect(await asked(['config', 'get', 'model', '--json'])).toEqual({
      code: 0,
      stdout: '"small"\n',
      stderr: '',
    });
  });

  it('takes a model with its provider, and says what counts in the end', async () => {
    const set = await asked(['config', 'set', 'model', 'other/m39', '--project']);
    expect(set).toMatchObject({ code: 0, stdout: '' });
    expect(set.stderr.split('\n').slice(0, 2)).toEqual([
      'Read as the model m39 of other.',
      'Saved for this folder. Something that counts more decides: house/small.',
    ]);
    expect(await asked(['config', 'set', 'model', 'small'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Read as the model small of house\.\nSaved for every folder\. It holds/),
    });
    await asked(['config', 'set', 'model', 'house/odd']);
    await asked(['config', 'set', 'model', 'x/y', '--provider', 'other']);
    expect(changes()).toEqual([
      { scope: 'project', selection: { provider_id: 'other', model_id: 'm39' } },
      { scope: 'global', selection: { provider_id: 'house', model_id: 'small' } },
      { scope: 'global', selection: { provider_id: 'house', model_id: 'house/odd' } },
      { scope: 'global', selection: { provider_id: 'other', model_id: 'x/y' } },
    ]);
  });

  it('takes a level and the fast mode, and says where it does something else', async () => {
    expect(await asked(['config', 'set', 'thinkingLevel', 'max'])).toMatchObject({
      code: 0,
      stderr: 'Saved for every folder. The model in force does not offer it: default.\n',
    });
    expect(await asked(['config', 'set', 'thinkingLevel', 'low'])).toMatchObject({
      code: 0,
      stderr: 'Saved for every folder. Something that counts more decides: default.\n',
    });
    expect(await asked(['config', 'set', 'fast', 'false'])).toMatchObject({
      stderr: 'Saved for every folder. It holds from the next turn on.\n',
    });
    expect(changes()).toEqual([
      { scope: 'global', thinking_level: 'max' },
      { scope: 'global', thinking_level: 'low' },
      { scope: 'global', fast: false },
    ]);
  });

  it('says whose the fast mode is, as far as it is told', async () => {
    const fast = (more: JsonObject) => ({
      'config.set': answered(() => ({
        persisted: true,
        scope: 'global',
        effective: { ...effective, ...more, fast: true },
      })),
    });
    expect(await asked(['config', 'set', 'fast', 'true'], fast({}))).toMatchObject({
      stderr: expect.stringMatching(/^Saved for every folder\. It holds .*; others answer as before\.\n$/),
    });
    await service?.stop();
    service = null;
    expect(await asked(['config', 'set', 'fast', 'true'], fast({ fast_providers: ['other'] }))).toMatchObject(
      {
        stderr: 'Saved for every folder. house answers, and has no fast mode: it answers as before.\n',
      },
    );
  });

  it('is asked for nothing that the wire does not carry', async () => {
    const refused: readonly (readonly [args: readonly string[], reason: string])[] = [
      [['set', 'provider', 'house'], 'config set model PROVIDER/MODEL'],
      [['set', 'ui.theme', 'dark'], 'leave --service and --socket out'],
      [['get', 'allow.bash'], 'leave --service and --socket out'],
      [['get', '--project'], 'leave --project and --global out'],
      [['set', 'fast', 'true', '--project'], 'Leave --project out'],
      [['unset', 'model'], 'takes values only'],
      [['set', 'model', 'nobody/x'], 'no listed PROVIDER/MODEL'],
    ];
    for (const [args, reason] of refused)
      expect(await asked(['config', ...args]), args.join(' ')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(reason),
      });
    expect(changes()).toEqual([]);
    expect(existsSync(user.settingsFile)).toBe(false);
  });

  it('knows its own providers to sign in to', async () => {
    const answers = {
      'auth.status': answered(() => ({
        providers: [
          { provider_id: 'house', auth_method: 'none', source: 'none', readiness: 'ready', ready: true },
        ],
      })),
    };
    const login = (name: string) => asked(['login', name], answers);
    expect(await login('anthropic')).toMatchObject({
      code: 2,
      stderr: 'magi-term: There is no provider anthropic; there are: house.\n',
    });
    expect(await login('house')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('house needs neither a sign-in nor a key'),
    });
  });

  it('says no with the next step', async () => {
    const answers = { 'config.set': answered(() => 'catalog_unavailable') };
    expect(await asked(['config', 'set', 'thinkingLevel', 'low'], answers)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('magi-term models --refresh'),
    });
  });

  it('lists the models of all providers but the one that fails', async () => {
    const names = [
      ...['small', 'house/odd'].map((id) => `house/${id}`),
      ...(models.other ?? []).map((id) => `other/${id}`),
    ];
    const listed = await asked(['models']);
    expect(listed.code).toBe(1);
    expect(
      listed.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('  ')[0]),
    ).toEqual(names);
    expect(listed.stderr).toMatch(/^broken: .+\nother: the list is old: run magi-term models --refresh\n$/);
    const json = await asked(['models', '--json']);
    expect(json.code).toBe(1);
    const entries = JSON.parse(json.stdout) as { provider_id: string; model_id: string }[];
    expect(entries.map(({ model_id, provider_id }) => `${provider_id}/${model_id}`)).toEqual(names);
  });

  it('asks each provider anew, and tells what came of it', async () => {
    const { code, stderr } = await asked(['models', '--refresh']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^broken: asking … The models could not be fetched\. .+\nbroken: .+\nhouse: asking … fresh\.\nother: asking … still old\.\n$/,
    );
    expect(service?.asked('catalog.refresh').map(({ payload }) => payload)).toEqual([
      { provider_id: 'broken' },
      { provider_id: 'house' },
      { provider_id: 'other' },
    ]);
  });
});
