import { contentText, recordsOf, type StreamEncoder, sse, tokensOf } from './model-server-steps.ts';

/** Messages, streamed. */
export function anthropicEncoder(model: string, inputChars: number): StreamEncoder {
  let outputChars = 0;
  let index = -1;
  let open: 'text' | 'thinking' | null = null;
  let calls = 0;

  const event = (type: string, data: Record<string, unknown>): string => sse(type, { type, ...data });
  const close = (): string => {
    if (open === null) return '';
    const signature =
      open === 'thinking'
        ? event('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'signed' } })
        : '';
    open = null;
    return signature + event('content_block_stop', { index });
  };
  const openBlock = (kind: 'text' | 'thinking'): string => {
    if (open === kind) return '';
    const closed = close();
    open = kind;
    index += 1;
    const block =
      kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
    return closed + event('content_block_start', { index, content_block: block });
  };
  const delta = (kind: 'text' | 'thinking', text: string): string => {
    outputChars += text.length;
    const opened = openBlock(kind);
    const data = kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
    return opened + event('content_block_delta', { index, delta: data });
  };

  return {
    start: () =>
      event('message_start', {
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: tokensOf(inputChars), output_tokens: 1 },
        },
      }),
    text: (text) => delta('text', text),
    thinking: (text) => delta('thinking', text),
    toolCall(name, args) {
      const closed = close();
      index += 1;
      const json = JSON.stringify(args);
      outputChars += json.length;
      const block = { type: 'tool_use', id: `toolu_${calls}`, name, input: {} };
      calls += 1;
      const half = Math.ceil(json.length / 2);
      const part = (partial: string): string =>
        event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: partial } });
      return [
        closed,
        event('content_block_start', { index, content_block: block }),
        part(json.slice(0, half)),
        part(json.slice(half)),
        event('content_block_stop', { index }),
      ].join('');
    },
    finish() {
      const stopReason = calls > 0 ? 'tool_use' : 'end_turn';
      return [
        close(),
        event('message_delta', {
          delta: { stop_reason: stopReason, stop_sequence: null },
          usage: { output_tokens: tokensOf(outputChars) },
        }),
        event('message_stop', {}),
      ].join('');
    },
  };
}

/** The conversation in a Messages body; tool results become messages of the role `tool`. */
export function anthropicMessages(body: Record<string, unknown>): { role: string; text: string }[] {
  const system = { role: 'system', text: contentText(body.system) };
  const rest = recordsOf(body.messages).flatMap((message) => {
    const blocks = recordsOf(message.content);
    const results = blocks
      .filter((block) => block.type === 'tool_result')
      .map((block) => ({ role: 'tool', text: contentText(block.content) }));
    const calls = blocks
      .filter((block) => block.type === 'tool_use')
      .map((block) => `${String(block.name)} ${JSON.stringify(block.input)}`);
    const text = [contentText(message.content), ...calls].join('');
    const own = text === '' ? [] : [{ role: String(message.role), text }];
    return [...results, ...own];
  });
  return [system, ...rest];
}
