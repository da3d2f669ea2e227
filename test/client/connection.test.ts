/** One connection against a scripted service (PROTOCOL.md, "Handshake", "Preflight", "Envelopes", "Evolution"). */
import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/client/connection.ts';
import { WireFailure } from '../../src/client/failure.ts';
import {
  responseTo,
  SCRIPTED_IDS,
  type Script,
  type ScriptedPeer,
  ScriptedService,
} from '../support/scripted-service.ts';
import { goodInitializeResult, type JsonObject, objectOf } from '../support/traces.ts';
import { deferred, failureOf, LIST, turnEvent, until } from './helpers.ts';

const services: ScriptedService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) {
    await service.stop();
    expect(service.errors).toEqual([]);
  }
});

async function serviceFor(script: Script): Promise<ScriptedService> {
  const service = await ScriptedService.start(script);
  services.push(service);
  return service;
}

/** An open connection whose service goes on with `then` after the welcome. */
async function connected(then: (peer: ScriptedPeer) => Promise<void>): Promise<Connection> {
  const service = await serviceFor(async (peer) => {
    await peer.welcome();
    await then(peer);
  });
  return openConnection(service.options);
}

const closeReason = (connection: Connection) =>
  new Promise<WireFailure>((resolve) => {
    connection.onClose(resolve);
  });

describe('opening', () => {
  test('hello and initialize as the wire says', async () => {
    const service = await serviceFor((peer) => peer.welcome());
    const connection = await openConnection(service.options);
    expect(connection.service).toMatchObject(goodInitializeResult());
    expect(service.peers[0]?.received).toEqual([
      {
        version: '0.80.2',
        workspace: '/home/dev/project',
        state_root: '/home/dev/.magi-code',
        action: 'connect',
      },
      {
        protocol_version: 2,
        kind: 'request',
        request_id: 'req-1',
        instance_id: null,
        connection_id: null,
        session_id: null,
        operation_id: null,
        control: null,
        method: 'initialize',
        payload: { supported_protocol_versions: [2], requested_capabilities: [] },
      },
    ]);
  });

  test.each(['stopped', 'busy'])('a hello that is answered with %s opens nothing', async (status) => {
    const service = await serviceFor(async (peer) => {
      const { action: _action, ...hello } = await peer.read();
      peer.send({ ...hello, status });
    });
    expect((await failureOf(openConnection(service.options))).code).toBe('protocol_violation');
  });

  test('byte by byte is as good', async () => {
    const service = await serviceFor(async (peer) => {
      const hello = await peer.read();
      await peer.sendByByte({ ...hello, action: undefined, status: 'ready' });
      await peer.sendByByte(responseTo(await peer.expect('initialize'), goodInitializeResult()));
      await peer.sendByByte(responseTo(await peer.expect('session.list'), LIST));
    });
    const connection = await openConnection(service.options);
    expect(await connection.request('session.list', {})).toEqual(LIST);
  });

  const reply =
    (changes: JsonObject): Script =>
    async (peer) => {
      const hello = await peer.read();
      const { version = null, workspace = null, state_root = null } = hello;
      peer.send({ version, workspace, state_root, status: 'ready', ...changes });
      await peer.gone();
    };
  test.each<[name: string, script: Script, code: string, sentence: string]>([
    [
      'another version',
      reply({ version: '0.81.0', status: 'incompatible' }),
      'version_mismatch',
      'The service has version 0.81.0, this program 0.80.2.',
    ],
    [
      'a version with control characters',
      reply({ version: '\u001b[2J', status: 'incompatible' }),
      'version_mismatch',
      'The service has version ??2J, this program 0.80.2.',
    ],
    [
      'another folder',
      reply({ workspace: '/elsewhere' }),
      'preflight_refused',
      'The service works in another folder.',
    ],
    [
      'a reply without a member',
      reply({ status: 'maybe' }),
      'protocol_violation',
      'The service broke the protocol: the handshake line has the wrong members.',
    ],
    [
      'a reply that is too long',
      reply({ padding: 'a'.repeat(4_096) }),
      'protocol_violation',
      'The service broke the protocol: the handshake line is too long.',
    ],
    [
      'an end without a reply',
      async (peer) => peer.close(),
      'endpoint_closed',
      'The service closed the connection.',
    ],
    [
      'an end inside the reply',
      async (peer) => peer.closeInside(await peer.read()),
      'endpoint_closed',
      'The service closed the connection.',
    ],
    [
      'an end after ready',
      async (peer) => {
        await peer.play([
          { dir: 'c2s', record: { state_root: '' } },
          {
            dir: 's2c',
            record: {
              version: '0.80.2',
              workspace: '/home/dev/project',
              state_root: '/home/dev/.magi-code',
              status: 'ready',
            },
          },
        ]);
        await peer.expect('initialize');
        peer.close();
      },
      'endpoint_closed',
      'The service closed the connection.',
    ],
    [
      'an unknown event in the advertisement',
      (peer) =>
        peer.welcome({
          capabilities: { ...objectOf(goodInitializeResult().capabilities), events: ['turn.future'] },
        }),
      'preflight_refused',
      'The service does not send turn.started.',
    ],
    [
      'contradicting identities',
      (peer) => peer.welcome({ instance_id: 'another' }),
      'protocol_violation',
      'The service broke the protocol: the identities of the connection contradict each other.',
    ],
    [
      'a result without its limits',
      (peer) => peer.welcome({ limits: null }),
      'protocol_violation',
      'The service broke the protocol: a result has the wrong shape.',
    ],
  ])('refuses %s', async (_name, script, code, sentence) => {
    const service = await serviceFor(script);
    const failure = await failureOf(openConnection(service.options));
    expect([failure.code, failure.sentence, failure.uncertain]).toEqual([code, sentence, false]);
    await until(() => service.peers.every((peer) => !peer.isOpen));
  });

  test.each<[name: string, script: Script]>([
    ['the hello', (peer) => peer.gone()],
    [
      'initialize',
      async (peer) => {
        const hello = await peer.read();
        peer.send({ ...hello, status: 'ready' });
        await peer.gone();
      },
    ],
    [
      'initialize, after half of the answer',
      async (peer) => {
        const hello = await peer.read();
        peer.send({ ...hello, status: 'ready' });
        peer.sendBytes('{"protocol_version":2,');
        await peer.gone();
      },
    ],
  ])('a service that says nothing to %s is silent', async (_name, script) => {
    const service = await serviceFor(script);
    const failure = await failureOf(openConnection({ ...service.options, timeoutMs: 60 }));
    expect(failure.code).toBe('endpoint_silent');
    await until(() => service.peers.every((peer) => !peer.isOpen));
  });

  test('a capability that the service lacks is refused with its code', async () => {
    const service = await serviceFor(async (peer) => {
      peer.send({ ...(await peer.read()), status: 'ready' });
      const request = await peer.expect('initialize');
      expect(objectOf(request.payload).requested_capabilities).toEqual(['session_protocol_v2']);
      peer.refuse(request, 'unsupported_capability');
      await peer.gone();
    });
    const failure = await failureOf(
      openConnection({ ...service.options, capabilities: ['session_protocol_v2'] }),
    );
    expect(failure.code).toBe('unsupported_capability');
  });

  test('a wish that is refused is given up on the same connection', async () => {
    const asked: unknown[] = [];
    const service = await serviceFor(async (peer) => {
      peer.send({ ...(await peer.read()), status: 'ready' });
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const request = await peer.expect('initialize');
        asked.push([request.instance_id, request.connection_id, request.payload]);
        if (attempt === 0) peer.refuse(request, 'unsupported_capability');
        else peer.answer(request, goodInitializeResult());
      }
    });
    const connection = await openConnection({ ...service.options, wishes: ['session_protocol_v2'] });
    expect(connection.service.capabilities.negotiated_capabilities).toBeUndefined();
    expect(asked).toEqual([
      [null, null, { supported_protocol_versions: [2], requested_capabilities: ['session_protocol_v2'] }],
      [null, null, { supported_protocol_versions: [2], requested_capabilities: [] }],
    ]);
  });
});

describe('requests', () => {
  test('responses in any order find their requests', async () => {
    const connection = await connected(async (peer) => {
      const first = await peer.expect('session.list');
      const second = await peer.expect('status');
      const third = await peer.expect('session.create');
      peer.sendTogether([
        responseTo(third, { session_id: 'new' }),
        responseTo(second, null, { code: 'internal_error', message: '' }),
        responseTo(first, LIST),
      ]);
    });
    const settled: string[] = [];
    const results = await Promise.allSettled([
      connection.request('session.list', {}).finally(() => settled.push('list')),
      connection.request('status', {}).finally(() => settled.push('status')),
      connection.request('session.create', {}).finally(() => settled.push('create')),
    ]);
    expect(settled).toEqual(['create', 'status', 'list']);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
    ).toEqual([LIST, 'internal_error', { session_id: 'new' }]);
  });

  test.each(['auth_busy', 'configuration_busy'])(
    'a read that meets %s is asked again, a mutation never',
    async (code) => {
      const seen: string[] = [];
      const connection = await connected(async (peer) => {
        for (const answer of [code, code, null, code]) {
          const request = await peer.read();
          seen.push(String(request.method));
          if (answer === null) peer.answer(request, LIST);
          else peer.refuse(request, answer);
        }
      });
      expect(await connection.request('session.list', {})).toEqual(LIST);
      expect((await failureOf(connection.request('session.create', {}))).code).toBe(code);
      expect(seen).toEqual(['session.list', 'session.list', 'session.list', 'session.create']);
    },
  );

  test('reads of one slot of the service stand in line, others do not', async () => {
    const seen: string[] = [];
    const connection = await connected(async (peer) => {
      const held: JsonObject[] = [];
      for (let index = 0; index < 3; index += 1) {
        const request = await peer.read();
        seen.push(String(request.method));
        held.push(request);
      }
      for (const request of held) peer.refuse(request, 'internal_error');
      for (let index = 0; index < 2; index += 1) {
        const request = await peer.read();
        seen.push(String(request.method));
        peer.refuse(request, 'internal_error');
      }
    });
    const requests = [
      connection.request('status', {}),
      connection.request('auth.status', {}),
      connection.request('config.get', {}),
      connection.request('catalog.providers', {}),
      connection.request('session.active', {}),
    ];
    await Promise.allSettled(requests);
    expect(seen.slice(0, 3)).toEqual(['status', 'config.get', 'session.active']);
    expect(seen.slice(3).toSorted()).toEqual(['auth.status', 'catalog.providers']);
  });

  test('mutations carry a fresh operation ID, reads none, and slots are passed on', async () => {
    const seen: JsonObject[] = [];
    const connection = await connected(async (peer) => {
      for (let index = 0; index < 4; index += 1) {
        const request = await peer.read();
        seen.push(request);
        peer.refuse(request, 'a_future_code');
      }
    });
    const control = { grant_id: 'g', generation: 3 };
    const failures = [
      await failureOf(connection.request('session.list', {})),
      await failureOf(connection.request('session.create', {})),
      await failureOf(connection.request('session.create', {})),
      await failureOf(
        connection.request('turn.cancel', { turn_id: 't' }, { sessionId: 's', control, operationId: 'op' }),
      ),
    ];
    expect(failures.map(({ code, uncertain }) => ({ code, uncertain }))).toEqual(
      Array(4).fill({ code: 'a_future_code', uncertain: false }),
    );
    expect(seen[0]).toMatchObject({ ...SCRIPTED_IDS, operation_id: null, session_id: null, control: null });
    const ids = seen.slice(1, 3).map((request) => String(request.operation_id));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen[3]).toMatchObject({ operation_id: 'op', session_id: 's', control });
    expect(new Set(seen.map((request) => request.request_id)).size).toBe(4);
  });

  test('at most 16 are in flight, the others wait their turn', async () => {
    const steps = deferred<void>();
    let unread = 0;
    const connection = await connected(async (peer) => {
      const first = await peer.expect('session.list');
      await until(() => peer.unread === 15);
      await new Promise((resolve) => setTimeout(resolve, 20));
      unread = peer.unread;
      peer.answer(first, LIST);
      for (let index = 1; index < 40; index += 1) peer.answer(await peer.expect('session.list'), LIST);
      steps.resolve();
    });
    const all = await Promise.all(Array.from({ length: 40 }, () => connection.request('session.list', {})));
    await steps.promise;
    expect([unread, all.length]).toEqual([15, 40]);
  });

  test('what passes a limit is not sent', async () => {
    const connection = await connected(async (peer) => peer.answer(await peer.expect('session.list'), LIST));
    const slots = { sessionId: 's', control: { grant_id: 'g', generation: 1 } };
    const long = await failureOf(connection.request('turn.start', { prompt: 'a'.repeat(16_385) }, slots));
    const encoded = await failureOf(
      connection.request('turn.start', { prompt: '\u0001'.repeat(10_000) }, slots),
    );
    expect([long.code, encoded.code, long.uncertain]).toEqual(['limit_exceeded', 'payload_too_large', false]);
    expect(await connection.request('session.list', {})).toEqual(LIST);
  });

  test('a request that was given up does not disturb the others', async () => {
    const release = deferred<void>();
    const connection = await connected(async (peer) => {
      const create = await peer.expect('session.create');
      const list = await peer.expect('session.list');
      await release.promise;
      peer.sendTogether([responseTo(create, { session_id: 'late' }), responseTo(list, LIST)]);
    });
    const controller = new AbortController();
    const create = connection.request('session.create', {}, { signal: controller.signal });
    const list = connection.request('session.list', {});
    controller.abort();
    const failure = await failureOf(create);
    release.resolve();
    expect([failure.code, failure.uncertain]).toEqual(['request_abandoned', true]);
    expect(await list).toEqual(LIST);
    const early = await failureOf(connection.request('session.create', {}, { signal: controller.signal }));
    expect([early.code, early.uncertain]).toEqual(['request_abandoned', false]);
  });

  test('an end leaves sent mutations uncertain, and nothing else', async () => {
    const connection = await connected(async (peer) => {
      await peer.expect('session.create');
      await peer.expect('session.list');
      peer.close();
    });
    const closed = closeReason(connection);
    const sent = [connection.request('session.create', {}), connection.request('session.list', {})];
    const failures = await Promise.all(sent.map(failureOf));
    failures.push(await failureOf(connection.request('session.create', {})));
    expect(failures.map(({ code, uncertain }) => [code, uncertain])).toEqual([
      ['link_lost', true],
      ['link_lost', false],
      ['link_lost', false],
    ]);
    expect((await closed).code).toBe('endpoint_closed');
  });

  test('a mutation that waited for a place is certain not to have been sent', async () => {
    const connection = await connected(async (peer) => {
      await until(() => peer.unread === 16);
      peer.close();
    });
    const all = Array.from({ length: 17 }, () => failureOf(connection.request('session.create', {})));
    const uncertain = (await Promise.all(all)).map((failure) => failure.uncertain);
    expect(uncertain).toEqual([...Array(16).fill(true), false]);
  });

  test('whoever awaits a response sees it before the event behind it', async () => {
    const connection = await connected(async (peer) => {
      const request = await peer.expect('session.create');
      peer.sendTogether([responseTo(request, { session_id: 's' }), turnEvent('turn.started', 1)]);
    });
    const order: string[] = [];
    const heard = deferred<void>();
    connection.onEvent((event) => {
      order.push(event.event);
      heard.resolve();
    });
    const slow = async () => {
      const { session_id: id } = await connection.request('session.create', {});
      for (let index = 0; index < 10; index += 1) await undefined;
      return id;
    };
    order.push(await slow());
    await heard.promise;
    expect(order).toEqual(['s', 'turn.started']);
  });

  test('unknown members are ignored everywhere', async () => {
    const connection = await connected(async (peer) => {
      const request = await peer.expect('session.create');
      peer.send({ ...responseTo(request, { session_id: 's', future: { a: [1] } }), future_hint: true });
    });
    expect(await connection.request('session.create', {})).toEqual({ session_id: 's' });
  });
});

describe('a broken protocol ends the connection', () => {
  const OTHER = { ...SCRIPTED_IDS, connection_id: 'other' };
  const SECRET = 'hunter2';
  test.each<[name: string, send: (peer: ScriptedPeer, request: JsonObject) => void, detail: string]>([
    ['garbage', (peer) => peer.sendBytes(`${SECRET}\n`), 'a record cannot be read (not valid JSON)'],
    ['an empty line', (peer) => peer.sendBytes('\n'), 'a record cannot be read (not valid JSON)'],
    [
      'invalid UTF-8',
      (peer) => peer.sendBytes(Buffer.from([0x22, 0xff, 0x22, 0x0a])),
      'a record cannot be read (not valid UTF-8)',
    ],
    [
      'a duplicate member',
      (peer) => peer.sendBytes(`{"${SECRET}":1,"${SECRET}":2}\n`),
      'a record cannot be read (duplicate member name)',
    ],
    ['an oversize record', (peer) => peer.sendBytes(`"${'a'.repeat(65_536)}"\n`), 'a record is too long'],
    ['an endless record', (peer) => peer.sendBytes('a'.repeat(70_000)), 'a record is too long'],
    [
      'an unknown kind',
      (peer) => peer.send({ ...turnEvent('turn.started', 1), kind: 'future' }),
      'a record is no valid response or event',
    ],
    [
      'a missing slot',
      (peer, request) => peer.send({ ...responseTo(request, LIST), session_id: undefined }),
      'a record is no valid response or event',
    ],
    [
      'an unknown response',
      (peer, request) => peer.send({ ...responseTo(request, LIST), request_id: SECRET }),
      'a response answers no open request',
    ],
    [
      'a response to nothing',
      (peer, request) =>
        peer.send({ ...responseTo(request, null, { code: 'invalid_json', message: '' }), request_id: null }),
      'a response answers no open request',
    ],
    [
      'another method',
      (peer, request) => peer.send({ ...responseTo(request, LIST), method: 'status' }),
      'a response does not match its request',
    ],
    [
      'another session',
      (peer, request) => peer.send({ ...responseTo(request, LIST), session_id: SECRET }),
      'a response does not match its request',
    ],
    [
      'another operation',
      (peer, request) => peer.send({ ...responseTo(request, LIST), operation_id: SECRET }),
      'a response does not match its request',
    ],
    [
      'another connection',
      (peer, request) => peer.send({ ...responseTo(request, LIST), ...OTHER }),
      'a record belongs to another connection',
    ],
    [
      'neither result nor error',
      (peer, request) => peer.answer(request, null),
      'a response must carry either a result or an error',
    ],
    [
      'result and error',
      (peer, request) => peer.answer(request, LIST, { code: 'internal_error', message: '' }),
      'a response must carry either a result or an error',
    ],
    [
      'a wrong result',
      (peer, request) => peer.answer(request, { ...LIST, truncated: 'no' }),
      'a result has the wrong shape',
    ],
    [
      'a large unknown member',
      (peer, request) => peer.answer(request, { ...LIST, future: Array(65).fill(0) }),
      'a record passes a limit',
    ],
    [
      'a large payload',
      (peer, request) => peer.answer(request, { ...LIST, future: Array(4).fill('a'.repeat(9_000)) }),
      'a payload passes the size limit',
    ],
    [
      'an unknown event',
      (peer) => peer.send(turnEvent('turn.future', 1)),
      'an event is unknown or has the wrong shape',
    ],
    [
      'an event that we did not ask for',
      (peer) => peer.send(turnEvent('auth.login.progress', 1)),
      'an event is unknown or has the wrong shape',
    ],
    [
      'an event without a generation',
      (peer) => peer.send({ ...turnEvent('turn.started', 1), grant_generation: null }),
      'an event is unknown or has the wrong shape',
    ],
    [
      'an event of another session inside',
      (peer) => peer.send({ ...turnEvent('turn.started', 1), session_id: SECRET }),
      'an event is unknown or has the wrong shape',
    ],
    [
      'an unknown activity',
      (peer) => peer.send(turnEvent('turn.activity', 1, { activity: { kind: SECRET } })),
      'an event is unknown or has the wrong shape',
    ],
  ])('%s', async (_name, send, detail) => {
    const connection = await connected(async (peer) => {
      send(peer, await peer.expect('session.list'));
      await peer.gone();
    });
    const closed = closeReason(connection);
    const request = failureOf(connection.request('session.list', {}));
    const reason = await closed;
    // A result of the wrong shape is found while its request is open: it must not hang.
    expect((await request).code).toBe('link_lost');
    expect([reason.code, reason.sentence]).toEqual([
      'protocol_violation',
      `The service broke the protocol: ${detail}.`,
    ]);
    expect(JSON.stringify({ ...reason, message: reason.message })).not.toContain(SECRET);
  });

  test('an end in the middle of a record is an end', async () => {
    const connection = await connected(async (peer) => peer.closeInside(turnEvent('turn.started', 1)));
    const events: string[] = [];
    connection.onEvent((event) => events.push(event.event));
    expect((await closeReason(connection)).code).toBe('endpoint_closed');
    expect(events).toEqual([]);
  });

  test('what came before the end is still heard', async () => {
    const connection = await connected(async (peer) => {
      const request = await peer.expect('session.list');
      peer.sendTogether([
        responseTo(request, LIST),
        turnEvent('turn.started', 1),
        turnEvent('turn.assistant_delta', 2),
      ]);
      peer.close();
    });
    const events: string[] = [];
    connection.onEvent((event) => events.push(event.event));
    const closed = closeReason(connection);
    expect(await connection.request('session.list', {})).toEqual(LIST);
    await closed;
    expect(events).toEqual(['turn.started', 'turn.assistant_delta']);
  });

  test('closing here is told, once, also to late listeners', async () => {
    const connection = await connected((peer) => peer.gone());
    const codes: string[] = [];
    connection.onClose((reason) => codes.push(reason.code));
    connection.close();
    connection.close();
    connection.onClose((reason) => codes.push(`late ${reason.code}`));
    await until(() => codes.length === 2);
    expect(codes).toEqual(['closed', 'late closed']);
    expect(await failureOf(connection.request('session.list', {}))).toBeInstanceOf(WireFailure);
  });
});
